"""The history of a tree: its steps taken back and done again, one by one or up to a point."""
