"""Tests of loomapp.ui.agents."""
