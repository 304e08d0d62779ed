"""Tests of loomapp.ui.media."""
