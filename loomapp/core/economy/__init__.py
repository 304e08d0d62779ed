"""Context economy: branch and context summaries, compression of long parts, thresholds. Pure functions.

Contents:
  branch_summaries: Branch summaries, their edits, and chains of branches: heads from the root to a node,
      and their text.
  calls: Calls of models on a path: what was used and carried on, how long nothing was asked, and cache
      misses.
  compression: Graduated compression of long parts: rows that shorten, each a pure function of a text and of
      the load.
  coverage: Context summaries: the hash of what one covers, which are valid on a path, and all that one
      says.
  stats: Statistics of branch summaries: what they saved, as text and as JSON, and the names of threads.
  thresholds: Two thresholds: how full a context is, whether a summary is due, and the words of the
      indicator.
"""
