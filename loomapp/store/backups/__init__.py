"""Backups of a grove: made, listed, restored, thinned out.

Contents:
  backup: Backups of a grove: made whole or not at all, listed, restored, and thinned out, but never to
      none.
"""
