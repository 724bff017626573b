"""Requests that a schema allows or forbids, made up by the thousand."""
