"""Paths through a tree: the active path, siblings, versions, sources."""
