"""Tests of loomapp.ui.groves."""
