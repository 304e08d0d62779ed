"""Tests of loomapp.ui.widgets."""
