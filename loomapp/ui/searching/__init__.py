"""Searching every tree of the grove, in the side bar."""
