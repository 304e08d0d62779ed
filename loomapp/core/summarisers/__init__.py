"""Summarisers: the summary of a conversation that a model is asked for, from its plan to its Change.

Contents:
  candidates: Candidates of a summary: texts that models wrote for it, until one is taken and saved.
  changes: Changes of context summaries: one is made, edited, deleted, or used as it is for a path that
      changed.
  omissions: Omissions of a summary: names, numbers and quoted phrases of the covered text that it lacks.
  one_liners: One-liners: a message in one sentence, a tree in two; what a model is asked, and what is taken
      of it.
  plan: Plan of a new summary: the node it is anchored to, what it covers, and the summary that it goes on
      from.
  prompts: Prompts of summarisers: the transcript of messages, its portions, and the request that each
      becomes.
"""
