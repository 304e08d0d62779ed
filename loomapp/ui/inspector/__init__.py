"""The inspector: what would be sent, what is known of a node, and the history of the tree.

Contents:
  context_answers: Answers that a context preview needs of the open grove.
  pane: The inspector under the graph: what would be sent, the current node, and the history of the tree.
  preview: The context preview: what would be sent now, as rows, as JSON, or why nothing can be.
  sides: Sides of a context, beside its rows: the context of each strategy, or the panel of variants.
  comparison/: The comparison of messages, side by side.
  context/: The context that would be sent, as rows and as JSON.
  history/: The history of a tree: its steps, their names, going back to one.
  node/: The panel of one node: facts, sources, provenance.
  what_if/: Variants of the coming context, side by side: “What if…”.
"""
