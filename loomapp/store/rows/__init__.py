"""Rows: what the database holds, as values, and back.

Contents:
  agents: Agents in the file: people and models, the owner among them, and which of them a tree lists.
  chain: The chain of a grove: its head, what follows from it entry by entry, and a chain begun anew.
  change_log: The change log in the file: appending, and reading for undo, for other processes and for
      verification.
  change_rows: A Change into the file: what each kind of row does to its table.
  columns: The columns of a table as a file has them: one of an older version lacks what came later.
  emptied_rows: Rows of the change log that are emptied when nodes are deleted for good: text goes, digests
      stay.
  explained_evidence: Responses with the rules by which nodes took their texts from them, as the change log
      says.
  grove_rows: Rows of the change log that belong to no tree: agents, settings, and what the files of trees
      listed.
  log_rows: Rows of a Change as the log writes them: ids and what may change, never a second copy of a text.
  mark_rows: Rows of a Change that are neither node nor edge: tree, path, inclusions, tags, links,
      summaries.
  merge: A tree that comes in again: what is new of it as one Change, or why it is another tree.
  new_trees: Trees that come into the grove: as new ones, into one that is here already, or as a copy.
  order: The order of rows that belong to one thing: sources of an edge, included notes, members of a tag.
  responses: RawApiResponses in the file: one row for each exchange, written once, and which nodes rest on
      it.
  settings: Settings that are kept in a grove: a JSON value under each name.
  tree_list: The trees of a grove as a list shows them; the nodes of each are counted once and then
      followed.
  tree_rows: A tree out of the file: rows of columns into the values of the core.
  undone_rows: Nodes and edges whose creation is undone: redo would bring them back, so they count as much.
"""
