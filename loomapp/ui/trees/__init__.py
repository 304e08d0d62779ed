"""Trees of the grove: the list, a tree's settings, trees in and out of files.

Contents:
  agent_says: Line above the tree's system context with the agent's own prompt, which is sent before it.
  compression_facts: Live values of compression: how full the window is, and what each row did to the shown
      path, or why not.
  compression_table: Table of the rows by which long parts are shortened: when, the limit as a field, and
      what it does now.
  economy_rows: Rows of a tree's settings for economy: branch summaries in place of messages, and what is
      shortened.
  settings_fields: Names of the fields of a tree's settings, and a tree with new values in them.
  summary_line: Line below the title of a tree's settings: the tree in two sentences, and the button that
      has them made.
  summary_rows: Rows of a tree's settings for summaries: whether they are used, who makes them and when,
      what they keep.
  tree_list: The list of trees in the side bar: open, make, rename, archive, and the gear to a tree's
      settings.
  tree_loader: A tree on its way: read, looked through and arranged beside the window, then handed over as a
      whole.
  tree_rows: Rows of the tree list: what each says, and how it is drawn and renamed in place.
  tree_settings: The page of a tree's settings, in the graph's place: system context, what is sent; saved as
      typed.
  words_rows: Rows of a tree's settings for the scope of instructions, and for the words that Loomapp puts
      in itself.
  documents/: Documents of the open tree: their list in the side bar, and the page on which one is read and
      written.
  exports/: The export panel: what goes out of a tree, in which format, and how that begins.
"""
