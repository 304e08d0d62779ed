"""Trees of the grove: the list, a tree's settings, trees in and out of files.

Contents:
  compression_table: Table of the rows by which long parts are shortened: when, the limit, and what each did
      to the path.
  context_lines: Lines around a tree's system context: the agent's own prompt, and the tree in two
      sentences.
  settings_rows: Rows of a tree's settings: economy, its summaries, the scope of instructions, and Loomapp's
      words.
  tree_list: The list of trees in the side bar: open, make, rename, archive, and the gear to a tree's
      settings.
  tree_loader: A tree on its way: read, looked through and arranged beside the window, then handed over as a
      whole.
  tree_rows: Rows of the tree list: what each says, and how it is drawn and renamed in place.
  tree_settings: The page of a tree's settings, in the graph's place: system context, what is sent; saved as
      typed.
  documents/: Documents of the open tree: their list in the side bar, and the page on which one is read and
      written.
  exports/: The export panel: what goes out of a tree, in which format, and how that begins.
"""
