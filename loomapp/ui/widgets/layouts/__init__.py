"""Layouts of widgets: lines that flow, rows of a page, parts side by side, parts that scroll.

Contents:
  flow: A layout that goes on in the next line when a row is full, as words do.
  row: A row of a page: words at the left, something to do with at the right; where it is narrow, below
      them.
  scrolled: A part that scrolls up and down, without a frame or a ground of its own.
  side_by_side: Two parts side by side where there is room, else one above the other.
"""
