"""The panel of one node: facts, sources, provenance.

Contents:
  chain_head: The head of the grove's chain: shown, and copied for whoever keeps it elsewhere.
  node_inspector: The node inspector: everything that is known of one node, its text whole, and whether it
      verifies.
  past_context: Past context in the inspector: the request that a node was sent, and differences from
      today's.
  provenance_panel: The provenance of a model's node: which exchange it came from, and that exchange to read
      and replay.
  replay: The replay of an exchange: play, pause, and a slider over the time its chunks took to come.
  response_reader: Reader of raw responses for the inspector: short ones at once, long ones on a thread of
      their own.
  source_row: A source as a row: the part it plays, its node and words, what becomes of it, and what can be
      done.
  sources_panel: The sources: what led to the selected node and in which role, what it is used for, and what
      comes next.
"""
