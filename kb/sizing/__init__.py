"""Memory and throughput estimates."""
