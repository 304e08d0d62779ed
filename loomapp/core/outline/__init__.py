"""The outline of a tree: its main lines as rows.

Contents:
  buffer_rows: Parents in the outline of a buffer that is read otherwise: below what was parted or edited.
  build: Building an outline in slices: which rows there are, what hangs on what, and which child stays
      level.
  main_lines: Levels: which child goes on at the level of what it hangs on, and what stands beside.
  outline: The outline of a tree: lines that stay level, and branches that are indented under the fork they
      leave.
  parents: Outline parents: the node that each node of an outline hangs on, and which of them say the same
      words.
  rows: The rows of an outline by owner: found when they are asked for, patched where something comes or
      goes.
  version_rows: Shared rows: versions in a buffer stand in one row of the outline, and so does what one of
      them took up.
"""
