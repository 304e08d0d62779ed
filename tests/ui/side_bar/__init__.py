"""Tests of loomapp.ui.outline."""
