"""Commands of the graph: folding, branches, following an answer.

Contents:
  branches: Branches in the graph: folding, hoisting, acting on several cards, moving branches, reading the
      new.
  foreign_writes: Writes of other programs in the status bar, with a menu of what they wrote: go there, or
      take it back.
  move_branch: Hanging a branch elsewhere: on the card that it is let go over, or where its words are found.
"""
