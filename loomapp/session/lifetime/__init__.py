"""The lifetime of an open grove: its lock, its backups, other writers, its end."""
