"""Tests of loomapp.ui.composer."""
