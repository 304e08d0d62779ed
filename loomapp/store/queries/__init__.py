"""Queries of an open grove: search, the steps of a tree, and what models used.

Contents:
  logged_steps: A step of the log with what it made, read back in full: also of steps that are undone or
      abandoned.
  node_changes: Changes of a tree that name a node, read from the log: also of a node that was taken back
      since.
  other_trees: Search in the other trees of a grove: texts with all words of a query, the best first, and
      bookmarks.
  search: Search in a grove: trees by title, then nodes by text or local id, the newest first.
  steps: The steps of a tree in pages, newest first, and the names that were given to points between them.
  usage: Usage: what the exchanges of a grove counted, read without their bodies.
"""
