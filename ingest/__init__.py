"""Files to a published index generation."""
