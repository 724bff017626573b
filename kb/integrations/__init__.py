"""gpukb as a part of other frameworks."""
