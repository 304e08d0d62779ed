"""The command palette: every action, and the trees, bookmarks and texts of the whole grove.

Contents:
  entries: Entries of the palette: one shape, whatever they lead to, and the best of them for a query.
  node_search: Search of a tree's texts in slices: a little at each turn of the event loop, so that typing
      never waits.
  palette: The palette itself: a field and a list over the window, whole with the mouse and with the
      keyboard.
  rows: Rows of the palette: the model of its list, and how an entry is drawn.
  search_field: The field in the header that opens the palette: it looks like a field and is a button.
  text_search: Later finds of the palette: texts of the open tree, and of the other trees of the grove.
"""
