"""Edits: pure functions from a tree to the Change that makes them, and back."""
