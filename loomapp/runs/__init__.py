"""Runs of loom-aware agents: ask, carry out the commands of the answer, and ask again. No Qt.

Contents:
  agent_run: A run of a loom-aware agent: it is asked, its commands are carried out, and it is asked again.
  asked_model: A model that a run asks: one request from its start to its end, stopped, watched, and kept in
      a journal.
  batch: A batch of command lines: carried out one after the other, each committed, told, and kept in the
      trace.
  continuation: Continuations that an agent has other models write: asked as anybody would ask them, and
      committed.
  events: Events of a run, told as they happen, and what it came to.
  place: The place of a run: the tree that it moves, by whom it is done, and whom it can ask.
"""
