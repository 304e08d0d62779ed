"""Rows: what the database holds, as values, and back."""
