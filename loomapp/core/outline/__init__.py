"""The outline of a tree: its main lines as rows.

Contents:
  lines: Lines of an outline, messages that follow each other at one depth, and their rows, found with
      pauses.
  outline: The outline of a tree as a map: the number of a row says how deep its message stands on its path.
  ways: Ways that a tree goes on below a node, one node each, as the pagers of its text offer them.
"""
