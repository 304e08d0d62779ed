"""What several tests use: trees, groves, windows, a desktop."""
