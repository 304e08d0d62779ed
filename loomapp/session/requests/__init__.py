"""Requests: asking models, streaming, stopping, committing what they answered."""
