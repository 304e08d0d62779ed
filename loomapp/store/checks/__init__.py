"""Checks: hashes, responses, the chain of the log, and the soundness of a file.

Contents:
  check: A check of a grove file: structure, values, every hash, and all that the change log knows.
  evidence_chain: The chain as an evidence file carries it: all that the log says of the tree, the digests
      of all else.
  first_sources: Edges as they came compared with later log entries: sources lost, other roles, another
      time.
  grove_verification: Verification of a whole grove in one pass over its log: the chain, every tree, what is
      undone.
  log_comparison: Comparison of marks, agents, summaries and the order of rows with the last word of the
      change log.
  plain_trees: Row-wise verification of plain trees, as imports nearly all are: none is made in memory for
      it.
  tree_verification: Verification of a tree in the file: every hash, every response, and all that the change
      log knows.
"""
