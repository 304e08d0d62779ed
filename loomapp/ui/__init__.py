"""Widgets: they show state and call commands."""
