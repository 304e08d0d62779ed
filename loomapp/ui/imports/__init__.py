"""The import page: what is in a file, which trees of it come in, and what came of it.

Contents:
  foot: The foot of the import page: the primary button, or how far the import is and a button that stops
      it.
  page: The import page: the file and its format, the trees to choose from, and the outcome.
  rows: Rows of the import page: a tree of a file, what there is to know of it, and the sum of several.
  tree_list: Trees of a file on the import page: chosen by a box, sorted by any column, filtered by title.
"""
