"""Vector stores behind one interface."""
