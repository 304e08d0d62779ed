"""Tests of the documents in a window."""
