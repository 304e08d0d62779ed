"""Checks: hashes, responses, the chain of the log, and the soundness of a file.

Contents:
  asking_agents: Comparison of the agent that a model's node is said to be of with the one that asked for
      its response.
  check: A check of a grove file: structure, values, every hash, and all that the change log knows.
  evidence_chain: The chain as an evidence file carries it: all that the log says of the tree, the digests
      of all else.
  grove_verification: Verification of a whole grove in one pass over its log: the chain, every tree, and
      what belongs to none.
  logged_marks: Path, notes, tags, links and summaries of a tree against the last word of the change log on
      them.
  lost_schema: Schemas that are lost: a file whose first pages no longer lead to the tables of a grove.
  tree_verification: Verification of a tree in the file: every hash, every response, and all that the change
      log knows.
  undone_faults: Faults of nodes, edges and responses that are undone: redo would bring them back, so they
      count as much.
"""
