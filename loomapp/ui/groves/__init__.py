"""A grove on its way into a window: its file, its lock, its backups."""
