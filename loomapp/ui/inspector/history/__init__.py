"""The history of a tree: its steps, their names, going back to one.

Contents:
  list: The list of a tree's steps: click or Enter asks to go there or to read its text, F2 to name the
      point.
  painter: Painter of the history's steps: a point on a line, time, name, label, text, outcome, author.
  panel: The history of a tree: every step, where one is, and names for points worth coming back to.
  step_text: The text of one step of the history: it is read, copied, and brought back into the tree.
  table: The steps of a tree as an item model that reads older pages as they are scrolled to, and their
      words.
"""
