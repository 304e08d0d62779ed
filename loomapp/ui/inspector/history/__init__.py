"""The history of a tree: its steps, their names, going back to one.

Contents:
  list: The list of a tree's steps, drawn as points on a line: Enter asks to go there, F2 names the point.
  panel: The history of a tree: every step, where one is, and names for points worth coming back to.
  steps: Steps of a tree as an item model that reads older pages as they are scrolled to; the text of one.
"""
