"""Backups of a grove: made, due, thinned out.

Contents:
  backup: Backups of a grove: made whole or not at all, listed, thinned out, and restored to a new file.
  retention: Retention of a grove's backups: all of today's, then fewer and fewer, and never none.
"""
