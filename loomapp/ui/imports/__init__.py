"""The import page: what is in a file, which trees of it come in, and what came of it.

Contents:
  file_head: The head of the import page: which file it is, as what it is read and why, and how far the
      reading is.
  foot: The foot of the import page: the primary button, or how far the import is and a button that stops
      it.
  page: The import page: the format that was recognised, the trees to choose from, and the outcome.
  rows: Rows of the import page: a tree of a file as the command line tells it, and what there is to know of
      it.
  sums: Sums of an import in sentences: how much there is, what becomes of it, what can't be kept.
  table: The trees of a file as an item model: chosen by a box, sorted by any column, filtered by title.
  tree_list: The list of trees on the import page: Space chooses what is selected, Shift+click a range.
"""
