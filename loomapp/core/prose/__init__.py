"""Prose: a path as one text, typed in, split, joined, and attributed."""
