"""Chat clients that people use, driven as people use them, before a running service."""
