"""The side bar below the trees: the outline of the open tree, and its bookmarks.

Contents:
  bookmarks: The list of bookmarks of the open tree.
  open_rows: Rows of the outline that are open: which they are, and opening them again a few at a time.
  painter: Painter of outline rows: author bar, first words, and signs at the right.
  rows: Rows of the outline as a Qt model: of a long line only what is near, so that a view never stands
      still.
  sentences: Words of outline rows: first words of a node to see, a whole sentence to hear.
  view: The outline view: the open tree as lines, in step with graph and text; the way in for keys and ears.
"""
