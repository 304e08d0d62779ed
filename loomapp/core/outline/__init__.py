"""The outline of a tree: its main lines as rows.

Contents:
  build: Building an outline in slices: which rows there are, what hangs on what, and which child stays
      level.
  main_lines: Levels: which child goes on at the level of what it hangs on, and what stands beside.
  outline: The outline of a tree: lines that stay level, and branches that are indented under the fork they
      leave.
  parents: Outline parents: the node that each one hangs on, also below what a buffer reads otherwise.
  rows: The rows of an outline by owner, with the rows that versions share: found when asked for, then
      patched.
"""
