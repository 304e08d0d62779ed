"""The page of an empty tree.

Contents:
  grove_drop: Files dropped onto a window: groves are opened, trees taken in, models used, texts written.
  model_pill: State of the model in a pill: ready, to be fetched, on its way, or missing with what to do.
  page: The page of an empty tree, over the graph: the shape of a tree, three ways in, and how the model is.
  starters: Starters under the sample: three lines to go on with, and how the model is, until somebody wrote
      there.
  tree_shape: The shape of a tree, drawn: one line that is written, and three answers to it.
  way_button: One of the ways into an empty tree: an icon, what it is, and what it is for.
"""
