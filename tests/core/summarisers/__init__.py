"""Tests of loomapp.core.summarisers."""
