"""Tests of loomapp.core.economy."""
