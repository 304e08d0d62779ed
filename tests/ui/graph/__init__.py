"""Tests of loomapp.ui.graph."""
