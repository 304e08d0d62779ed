"""Tests of loomapp.ui.trees."""
