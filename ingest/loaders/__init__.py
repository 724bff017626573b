"""One loader per file format."""
