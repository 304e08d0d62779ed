"""Tests of loomapp.ui.look."""
