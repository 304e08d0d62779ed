"""The embedded engine: its process, its socket, and the files of its models."""
