"""Comparing messages side by side, in the place of the graph."""
