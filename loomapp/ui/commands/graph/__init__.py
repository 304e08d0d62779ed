"""Commands of the graph: folding, branches, following an answer.

Contents:
  branches: Branches in the graph: folded, shown alone, acted on with several cards, moved, new, and read
      on.
  foreign_writes: Writes of other programs: told once, a dot on each until somebody looked, a popover of
      them all.
  move_branch: Hanging a branch elsewhere: on the card that it is let go over, or where its words are found.
"""
