"""Asking with no window: answers streamed, journalled and kept, and runs of agents that see the tree. No Qt.

Contents:
  agent_run: A run of a loom-aware agent: it is asked, its commands are carried out, and it is asked again.
  answer_journal: The journal of answers that stream with no window: kept beside the grove until they are in
      it.
  asked_model: A model that a run asks: one request from its start to its end, stopped, watched, and kept in
      a journal.
  batch: A batch of command lines: carried out, committed, kept in the trace; decisions about what they
      propose.
  continuation: Continuations that an agent has other models write: asked as anybody would ask them, and
      committed.
  events: Events of a run, told as they happen, proposals that wait for a person, and what the run came to.
  place: The place of a run: the tree that it moves, by whom, and whom it can ask; in a grove, its commits.
  streamed_answers: Answers to one request, from its first event to its nodes: journalled meanwhile, kept
      when it ends.
"""
