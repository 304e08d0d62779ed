"""Rows: what the database holds, as values, and back.

Contents:
  chain: The change log entry by entry: its chain and head, a chain begun anew, nodes that other programs
      added.
  change_log: The change log in the file: appending, and reading for undo, for other processes and for
      verification.
  change_rows: A Change into the file: what each kind of row does to its table.
  first_rows: First nodes and edges of a tree that is new in the file, written under the numbers that their
      rows get.
  grove_rows: Rows of a grove: agents, settings, which agents a tree lists, and the list of trees with their
      counts.
  log_rows: Rows of a Change as the log writes them: ids and what may change, never a second copy of a text.
  mark_rows: Rows of a Change that are neither node nor edge, and the order of rows that belong to one
      thing.
  new_trees: Trees that come into the grove: as new ones, as a copy, or what is new of one that is here
      already.
  node_rows: Rows of nodes and edges out of the file: statements that read them, and the values that they
      become.
  responses: RawApiResponses in the file: a row for each exchange, written once, and what rests on it.
  tree_rows: A tree out of the file: rows of columns into the values of the core, also those that are
      undone.
"""
