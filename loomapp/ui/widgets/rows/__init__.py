"""Rows of several parts: a value that may be inherited, and work that goes on.

Contents:
  inheritable_row: A row whose value is inherited or one's own, and the way back to what is inherited.
  progress_row: A row for work that takes a while: what is done, how far it is, and a button that ends it.
"""
