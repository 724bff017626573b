"""The HTTP service over the library."""
