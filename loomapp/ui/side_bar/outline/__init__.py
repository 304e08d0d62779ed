"""The side bar below the trees: the outline of the open tree, its bookmarks and tags.

Contents:
  marks: Bookmarks and tags of the open tree: a list of the ones, chips of the others, and what carries
      them.
  painter: Painter of outline rows: rails, arrow, number, author bar, first words, and signs at the right.
  row_words: Words of outline rows: the beginning of a message, a sentence to hear, and which rows are
      listed.
  rows: Rows of the outline as a Qt model: of very many only those near, so that a view never stands still.
  view: Outline as a map of the tree: rows fold and unfold, dots choose an alternative.
"""
