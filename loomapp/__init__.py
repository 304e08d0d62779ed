"""Loomapp: a desktop editor for loom trees."""

__version__ = "0.1.0"
