"""Tests of loomapp.ui.grove_search."""
