"""Tests of loomapp.ui.history."""
