"""Backups of a grove: made, due, thinned out."""
