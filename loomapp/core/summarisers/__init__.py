"""Summarisers: the summary of a conversation that a model is asked for, from its plan to its Change.

Contents:
  changes: Changes of context summaries: made, edited, deleted, taken from candidates; and what a summary
      omits.
  plan: Plan of a new summary: the node it is anchored to, what it covers, and the summary that it goes on
      from.
  prompts: Prompts of summarisers: a transcript, its portions, the requests they become; and those of one-
      liners.
"""
