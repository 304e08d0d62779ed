"""Edits: pure functions from a tree to the Change that makes them, and back.

Contents:
  abandoned_steps: An abandoned step: the texts that it made, and the Change that brings its nodes into the
      tree again.
  branches: Moving branches elsewhere, and edits of several nodes at once, each as one Change.
  edit_context: The context of an edit: author, time, ids for new rows, as they come from outside of the
      tree.
  history: The past of a tree as a person reads it: its steps, whether they hold, and the names of points.
  new_trees: New trees: begun empty or with a text, or from the edit of another one's first message.
  newer_export: A newer export of a conversation that is here: what changed there since comes beside what is
      here.
  node_edits: Edits of a tree's nodes as pure functions that return a Change, or None where there is nothing
      to do.
  node_marks: Marks on nodes: excluded, bookmarked, pruned; each set or taken away as one Change.
  node_rows: Rows that edits are made of: new nodes with their edges, and the active path to them.
  prune: Reach of pruning: what hangs below nodes alone, and the active path once they are hidden.
  tags: Tags of a tree: named marks on nodes, given, taken away, renamed, each as one Change.
  tree_settings: Settings of a tree: typed ones merged into what is saved, and the Change that saves them.
  undo: Undo and redo over the change log: which step is next, what it abandons, where the path then ends.
"""
