"""The window: its parts, where they stand, and what reaches across them."""
