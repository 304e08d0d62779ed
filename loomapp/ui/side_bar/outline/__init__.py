"""The side bar below the trees: the outline of the open tree, and its bookmarks.

Contents:
  bookmarks: The list of bookmarks of the open tree.
  painter: Painter of outline rows: author bar, first words, and signs at the right.
  row_words: Words of outline rows: the beginning of a message, and a sentence that says who, which and what
      of it.
  rows: Rows of the outline as a Qt model: of a long line only what is near, so that a view never stands
      still.
  view: Outline as a tree: rows open and close, the open ones are remembered, and the current node is shown.
"""
