"""Commands of the palette: its entries of this tree and of the others, and the label of a bookmark.

Contents:
  bookmark_label: The label of a bookmark, typed in the palette.
  other_trees: The other trees of the grove in the palette: their bookmarks and texts as entries that say
      which tree.
  palette: The palette in a window: what it offers there, and what choosing does.
"""
