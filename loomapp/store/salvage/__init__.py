"""Salvage: what can be read of a damaged grove, in a new file."""
