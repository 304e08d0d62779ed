"""Requests: asking models, streaming, stopping, committing what they answered.

Contents:
  commit_answers: Commit of answers: what an ended request has written becomes nodes, and the reader stays
      where they are.
  empty_answers: Answers that ended well without a word: nothing is added for them, and what to do next is
      said.
  engine_watch: The engine, watched: tells when its state is another, which it becomes on threads of its
      own.
  failed_answers: Failed answers: cards that say why nothing came, or why the file did not take what did;
      they stay.
  generator: Generation: asks models for continuations, asks again, and stops; what comes is among the open
      answers.
  head_start: A head start for the window: what is asked is put together once the window has shown that it
      was asked.
  open_answers: Open answers: those that are no nodes yet, drained on the GUI thread until they are, or
      failed.
  running_request: One request under way: where its answers will hang, and what they hold so far.
  running_requests: Every request under way, and which of those that were asked together is read.
  stall_notice: Notice of a stalled draft: when it is tried again, or how long it has been silent.
"""
