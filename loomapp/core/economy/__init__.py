"""Context economy: branch and context summaries, compression of long parts, thresholds. Pure functions.

Contents:
  branch_edits: Edits of branches: a head's summary and its title, each as one Change.
  branch_rows: Branch summaries as rows: what one says, its counters, and the rows that updates, titles and
      edits make.
  cache_misses: Token counts of the call behind a node, and whether it missed a cache that the one before
      had, and why.
  calls: Calls of models on a path: what was used, how long nothing was asked, what is carried on, and
      totals.
  compression: Graduated compression of long parts: rows that shorten, each a pure function of a text and of
      the load.
  coverage: Coverage of context summaries: the hash of what one covers, which are valid on a path, and what
      changed.
  estimators: Estimators: tokens of a text, or of messages, without a tokenizer. Each has a name that is
      told with it.
  stats: Statistics of branch summaries: what they saved, as text and as JSON, and the names of threads.
  summary_rows: Context summaries as they are read: everything that a row leaves out is made, and what one
      saved.
  threads: Chains of branches: the heads from the root to a node, and the text, footer and numbers they
      make.
  thresholds: Two thresholds: how full a context is, whether a summary is due, and the words of the
      indicator.
  token_shares: Token shares of a context: whose its tokens are, of which kind, and of which message, stage
      by stage.
"""
