"""Tests of loomapp.ui.commands."""
