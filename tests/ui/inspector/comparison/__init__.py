"""Tests of loomapp.ui.inspector.comparison."""
