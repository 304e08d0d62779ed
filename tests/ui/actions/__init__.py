"""Tests of loomapp.ui.actions."""
