"""Rows: what the database holds, as values, and back.

Contents:
  chain: The chain of a grove: its head, what follows from it entry by entry, and a chain begun anew.
  change_log: The change log in the file: appending, and reading for undo, for other processes and for
      verification.
  change_rows: A Change into the file: what each kind of row does to its table.
  foreign_writes: Foreign writes: nodes that other programs added and took back, told by the change log
      alone.
  grove_rows: Rows of a grove that belong to no tree: agents, settings, and which agents a tree lists.
  log_rows: Rows of a Change as the log writes them: ids and what may change, never a second copy of a text.
  mark_rows: Rows of a Change that are neither node nor edge, and the order of rows that belong to one
      thing.
  new_trees: Trees that come into the grove: as new ones, as a copy, or what is new of one that is here
      already.
  responses: RawApiResponses in the file: a row for each exchange, written once, and what rests on it.
  tree_list: The trees of a grove as a list shows them; the nodes of each are counted once and then
      followed.
  tree_rows: A tree out of the file: rows of columns into the values of the core, also those that are
      undone.
"""
