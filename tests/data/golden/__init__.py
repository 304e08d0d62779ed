"""Groves as older versions left them, and what they say."""
