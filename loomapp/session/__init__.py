"""The living state of an open grove, QtCore only.

Contents:
  abandoned_steps: Steps that were undone and cannot be redone any more: what they wrote is brought back.
  document: The open grove and the tree being read: commits changes, undoes them, and tells every view.
  endpoint_test: The smallest call: asks a model for one token, to see whether endpoint, key and model are
      right.
  grove_agents: The agents of a grove: who wrote in it, the models that can be asked, and those that
      Generate asks.
  grove_trees: The trees of a grove: which there are, and what each says of itself.
  initiator: The initiator of a change: a person, their typing, an answer, a text put back, or another
      program.
  model_fetch: Getting a local model ready before anybody asks it: fetched and started on a thread, with an
      end.
  open_tree: The open tree as its undo history, its reading place and the list of trees know it.
  plan: A plan: what would be sent to one agent, assembled by what is known of its model.
  preferences: The settings while the program runs: read, changed, and heard of when somebody edits the
      file.
  recovery: Drafts of the journal as values: of the composer, edits, notes, settings and interrupted
      answers.
  restored_path: The path restored that was read before: when no answer came to a text cut for one, and
      after undo.
  spelling: Spelling: words looked up on a thread of its own, in a dictionary, and the user's own words.
  workspace: The workspace: the living state of one open grove, without a widget.
  background/: Work beside the GUI thread, or in its idle turns.
  context/: The coming context: previewed, tried otherwise, with what is attached to it.
  history/: The history of a tree: its steps taken back and done again, one by one or up to a point.
  journal/: The journal: words that are not committed yet, kept against a crash.
  lifetime/: The lifetime of an open grove: its lock, its backups, other writers, its end.
  reading/: Reading: which trees and nodes were visited, and where the window was.
  requests/: Requests: asking models, streaming, stopping, committing what they answered.
  writing/: Writing in a buffer: from keystrokes to passages, undone step by step.
"""
