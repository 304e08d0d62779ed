"""Tests of loomapp.ui.buffer."""
