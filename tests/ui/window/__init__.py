"""Tests of loomapp.ui.window."""
