"""Answers, passages and cards as JSON, in the shape of the HTTP contract; the API and `gpukb --json` share it."""
