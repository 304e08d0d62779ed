"""Queries of an open grove: search, the steps of a tree, and what models used.

Contents:
  search: Search in a grove: trees by title, nodes by text or id, and the other trees' texts and bookmarks.
  steps: The steps of a tree in pages, the names of points between them, and what a step made, read in full.
  usage: Usage: what the exchanges of a grove counted, read without their bodies.
"""
