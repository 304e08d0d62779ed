"""The panel of one node: facts, sources, provenance.

Contents:
  memory_editor: Editor of one text in an agent's memory: its name and its words, saved as one step.
  memory_panel: Operational memory of agents in a tree: what is pinned, recalled, stashed and done last, to
      be changed.
  node_inspector: The node inspector: everything known of one node, its text, its usage, and whether it
      verifies.
  past_context: Past context in the inspector: the request that a node was sent, and differences from
      today's.
  provenance_panel: The provenance of a model's node: its exchange, to read and replay, and the head of the
      grove's chain.
  raw_response: Raw responses in the inspector: read at once or on a thread of their own, and played again
      in time.
  sources_panel: The sources: what led to the selected node and in which role, what it is used for, and what
      comes next.
"""
