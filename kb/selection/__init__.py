"""Choosing cards by constraints."""
