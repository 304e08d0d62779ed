"""Tests of loomapp.ui.comparison."""
