"""The living state of an open grove, and the settings and spelling beside it; QtCore only.

Contents:
  document: The open grove and the tree being read: commits changes, undoes them, and tells every view.
  grove_lists: The trees and agents of a grove: which there are, what each says of itself, whom Generate
      asks.
  local_engine: The embedded engine beside the window: its state watched, a model got ready before anybody
      asks it.
  open_tree: The open tree as those know it who work on it, the initiators of its changes, and facts to open
      it by.
  plan: A plan: what would be sent to one agent, by what is known of its model and of the open tree.
  reading_place: The reading place: the path that is read, the current node, what they follow, and places
      visited before.
  recovery: Drafts of the journal as values: composer, edits, notes, documents, settings, interrupted
      answers.
  restored: Paths and steps restored: what was read before, and what an undone step wrote.
  spelling: Spelling: words looked up on a thread of its own, in a dictionary, and the user's own words.
  tree_calls: Calls of the open tree and the time they are judged by, for a context that shortens what is
      long.
  undo_history: The undo history of the tree that is read: steps taken back and done again, singly or up to
      a point.
  window_state: The state of a grove's window: the place in each tree, kept beside the logs and never in the
      grove.
  workspace: The workspace: the living state of one open grove, and the settings while the program runs.
  background/: Work beside the GUI thread, or in its idle turns.
  context/: The coming context: previewed, its tokens counted, tried otherwise, with what is attached to it.
  journal/: The journal: words that are not committed yet, kept against a crash.
  lifetime/: The lifetime of an open grove: its lock, its backups, other writers, its end.
  requests/: Requests: asking models for answers and summaries, streaming, stopping, committing what they
      answered.
  writing/: Writing in a buffer: from keystrokes to passages, undone step by step.
"""
