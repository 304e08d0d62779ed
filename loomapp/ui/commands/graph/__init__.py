"""Commands of the graph: folding, branches, following an answer.

Contents:
  branches: Branches in the graph: folded, shown alone, acted on with several cards, moved, and what is new
      read.
  foreign_writes: Writes of other programs: told once, in the status bar, and a dot on each until somebody
      looked at it.
  move_branch: Hanging a branch elsewhere: on the card that it is let go over, or where its words are found.
  read_on: Row below a dialogue whose path ends before its branch does: how much follows, and a way on.
  writes_popover: Popover of what other programs wrote: the nodes, and what can be done about them.
"""
