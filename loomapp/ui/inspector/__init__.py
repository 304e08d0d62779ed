"""The inspector: what would be sent, what is known of a node, the history of the tree; answers compared.

Contents:
  comparison: Comparison of messages side by side, in columns with the words in which they differ; Esc
      closes it.
  pane: The inspector under the graph: what would be sent, the current node, and the history of the tree.
  preview: The context preview: what would be sent now, as rows, as JSON, or why nothing can be.
  sides: Sides of a context: each strategy's or the variants beside its rows, and the bar over what is
      tried.
  context/: The context that would be sent, as rows and as JSON.
  history/: The history of a tree: its steps, their names, going back to one.
  node/: The panel of one node: facts, sources, provenance.
  summaries/: Summaries of branches: the chain of heads, the text that it makes, and what it saved.
  what_if/: Variants of the coming context, side by side: “What if…”.
"""
