"""Painting of the graph, near and from afar."""
