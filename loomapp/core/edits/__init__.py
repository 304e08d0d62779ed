"""Edits: pure functions from a tree to the Change that makes them, and back.

Contents:
  agent_memory: Operational memory of an agent in a tree: nodes pinned, texts stashed and recalled, each as
      one Change.
  branches: Moving branches elsewhere, and edits of several nodes at once, each as one Change.
  documents: Documents of a tree, loose sources with versions: found, written, renamed, deleted, each as one
      Change.
  edit_context: The context of an edit, author, time and ids, and the rows that edits are made of.
  newer_export: A newer export of a conversation that is here: what changed there since comes beside what is
      here.
  node_edits: Edits of a tree's nodes, their links and one-liners, each as a Change, or None if nothing is
      to do.
  node_marks: Marks on nodes: excluded, bookmarked, deleted (pruned) or restored, tagged; each set as one
      Change.
  tree_edits: Trees: new ones, the Change that saves other settings, and titles that follow the first words.
  undo: Undo and redo over the change log: which step is next, what it abandons and how that comes back.
"""
