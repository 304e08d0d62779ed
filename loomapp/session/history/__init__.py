"""The history of a tree: its steps taken back and done again, one by one or up to a point.

Contents:
  go_to_step: Go to another point of a tree's history, by as many undos or redos as lie between.
  undo_history: The undo history of the tree that is read: steps taken back, done again, listed and named.
"""
