"""The outline of a tree: its main lines as rows."""
