"""The import page: what is in a file, which trees of it come in, and what came of it.

Contents:
  file_head: The head of the import page: the file, the format it was recognised as, and a menu of the
      others.
  page: The import page: the file and its format, the trees to choose from, and the outcome.
  rows: Rows of the import page, and its foot with what is going on and what it came to.
  tree_list: Trees of a file on the import page: chosen by a box, sorted by any column, filtered by title.
"""
