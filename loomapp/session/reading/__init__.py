"""Reading: which trees and nodes were visited, and where the window was.

Contents:
  opened_tree: An opened tree: what a document needs of a tree before it can show it, which any thread may
      find.
  reading_place: The reading place: the path that is read, the current node on it or beside it, and what
      they follow.
  visit_history: Visits: where the reader has been, to go back and forward through it like through pages.
  window_state: The state of a grove's window: the place in each tree, kept beside the logs and never in the
      grove.
"""
