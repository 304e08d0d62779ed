"""Tests of loomapp.ui.side_bar."""
