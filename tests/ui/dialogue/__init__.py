"""Tests of loomapp.ui.dialogue."""
