"""What builds that are killed, full disks and read-only folders do to those who ask meanwhile."""
