"""Context assembly: what a model is sent for a node, exactly, and a report of why.

Contents:
  assembly: Assembly: from a tree and a node to exactly what a model is sent, with a report. Pure, linear
      time.
  columns: Columns: what the nodes of a path say, a list a property, found from those before where little
      differs.
  dialogue: Dialogue: parts become messages, neighbours of one role merged.
  document: Document: in Buffer, parts become one text without separators; spans say what comes from where.
  exclusions: Exclusions: nodes that are left out before anything is merged, each with the reason.
  fit: Fitting: which parts are sent, after a strategy has left out what there is no room for.
  merge: Merging: which messages of a path go out as one, since no two neighbours that are sent are of one
      role.
  messages: Messages and their parts, as they are shown and sent.
  outcomes: Outcome of each node in an assembled context: sent, left out, and why; told when it is asked
      for.
  parts: Parts of one node's content as a model is sent them, in either mode.
  passages: Passages: everything that could be sent, in order, as columns of parts grouped into units.
  plain_text: A context as one text for people: system, messages with their roles, or the document.
  provider_rules: Provider rules: what a provider insists on, and the messages made to fit it; every
      adjustment is named.
  renamed_nodes: An assembled context told by other ids, where nodes stand in the place of those on the
      screen.
  report: The report of an assembly: what is sent, what is left out and why, and what it costs.
  settings: Context settings: the app's, a tree's own, a request's, and which of them counts.
  suffix: Suffix: the text after the place where an answer is to stand, and how much of it goes along.
  system: System context: the agent's prompt, the tree's, and instructions, joined and never truncated.
  texts: Texts that Loomapp itself puts into a context: markers where something is left out, and a turn to
      go on.
  truncation: Truncation: which units stay when not all of them fit. Each strategy is a row of STRATEGIES.
  units: Units: the path's nodes with their context sources before and their annotations after them,
      filtered.
"""
