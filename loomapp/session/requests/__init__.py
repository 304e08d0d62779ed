"""Requests: asking models for answers and summaries, streaming, stopping, committing what they answered.

Contents:
  agent_loop: Runs of loom-aware agents in the window: requests stream as others do, commands move the open
      trees.
  ended_answers: Answers that have ended: all of a request become nodes in one Change, or cards say why
      nothing came.
  generator: Generation: asks models for continuations, asks again, and stops; what comes is among the open
      answers.
  one_liners: One-liners in the open grove: made in the background of messages that are new, once that is
      switched on.
  open_answers: Open answers: those that are no nodes yet, drained on the GUI thread until they are, or
      failed.
  open_summaries: Summaries in the open grove: which is due unasked, and candidates, held until one of them
      is taken.
  proposals: Proposals of agents in the open grove: commands that wait till a person accepts or refuses
      them.
  running_request: Requests under way: where their answers will hang, what they hold so far, how long they
      are silent.
  summariser: Summaries on their way in the open grove: asked for on worker threads, saved where they are
      anchored.
"""
