"""Commands about trees: opened, imported, exported.

Contents:
  empty_tree: Empty tree: its page over the graph, the model made ready, and files that are dropped.
  export_panel: Exports in a window: the panel in the text's place, its preview, copying, files, and
      pictures.
  grove_check: Check of the open grove, done beside the window: hashes, responses, the chain of the log, and
      the file.
  import_desk: Imports in a window: files are read and taken in by a process beside it, and a page says how
      far it is.
  open_tree: Opening trees: small ones at once; large ones meanwhile, and the one before stays until they
      stand.
  tree_files: Trees in and out of files: done beside the window, with a row that says so and a button that
      ends it.
"""
