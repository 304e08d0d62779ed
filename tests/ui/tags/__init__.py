"""Tests of loomapp.ui.tags."""
