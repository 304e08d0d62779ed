"""Tests of loomapp.ui.palette."""
