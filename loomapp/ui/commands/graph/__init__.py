"""Commands of the graph: folding, branches, following an answer.

Contents:
  branches: Branches in the graph: folding, hoisting, acting on several cards, moving branches, reading the
      new.
  move_branch: Hanging a branch elsewhere: on the card that it is let go over, or where its words are found.
"""
