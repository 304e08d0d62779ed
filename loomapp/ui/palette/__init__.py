"""The command palette: every action, and the trees, bookmarks and texts of the whole grove.

Contents:
  entries: Entries of the palette: one shape, whatever they lead to, the best for a query, and how they are
      drawn.
  palette: The palette itself: a field and a list over the window, whole with the mouse and with the
      keyboard.
  text_search: Later finds of the palette: texts of the open tree, a little at each turn, and of the other
      trees.
"""
