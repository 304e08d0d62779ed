"""Tests of loomapp.ui.first_page."""
