"""The page of an empty tree.

Contents:
  model_pill: State of the model in a pill: ready, to be fetched, on its way, or missing with what to do.
  page: The page of an empty tree: the shape of a tree, drawn, the ways into it, and how the model is.
"""
