"""Tests of loomapp.ui.settings."""
