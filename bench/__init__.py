"""Benchmarks: each prints a table for people and, last, one JSON line; results are committed."""
