"""Where the work of a build runs."""
