"""The living state of an open grove, QtCore only."""
