"""Saving: drafts, journal, what the disk did not take, and leaving."""
