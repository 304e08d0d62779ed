"""The history of a tree: its steps, their names, going back to one."""
