"""Tests of loomapp.ui.inspector."""
