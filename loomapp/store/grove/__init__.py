"""The open grove: opened, read, moved by Changes, and kept where another program takes its file away."""
