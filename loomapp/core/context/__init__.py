"""Context assembly: what a model is sent for a node, exactly, and a report of why.

Contents:
  assembly: Assembly: from a tree and a node to exactly what a model is sent, with a report. Pure, linear
      time.
  awareness: Awareness of the tree: headers, memory, blocks and steps sent to a loom-aware agent beside the
      nodes.
  compression: Compression in a context: which parts can be shortened, and the context with those that are.
  economy: Economy in a context: summaries, then compression, before a strategy leaves anything out; and its
      state.
  fit: Fitting: which parts are sent, after a strategy has left out what there is no room for.
  messages: Messages and their parts, as they are shown and sent; parts of one node's content in either
      mode.
  outcomes: Outcome of each node in an assembled context: sent, left out, and why; told when it is asked
      for.
  passages: Passages: everything that could be sent, in order, as columns of parts grouped into units.
  plain_text: A context as people read it: all of it as one text, and which messages of a path go out as
      one.
  provider_rules: Provider rules: what a provider insists on, and the messages made to fit it; every
      adjustment is named.
  renamed_nodes: An assembled context told by other ids, where nodes stand in the place of those on the
      screen.
  report: The report of an assembly: what is sent, what is left out and why, and what it costs.
  request: Requests for a context: all wishes for one assembly, and the parts that they put in place.
  sent_text: The text that is sent: messages with neighbours of a role merged, or a document with its
      suffix.
  settings: Context settings: the app's, a tree's own, a request's, and which of them counts.
  summaries: Summaries in a context: those that stand for the beginning of a path, and what they leave out.
  system: System context: the agent's prompt, the tree's, and instructions, joined and never truncated.
  token_shares: Token shares of a context: whose its tokens are, before and after each stage that makes it
      smaller.
  truncation: Truncation: which units stay when not all of them fit, and the texts that stand for the
      others.
  units: Units: a path's nodes with context sources and annotations; and nodes left out before, with
      reasons.
"""
