"""The scene of the graph: cards, their places and faces.

Contents:
  background_layout: Layouts made on another thread: of a tree before it is shown, and of a large one when
      nobody touches it.
  card_faces: Faces: what a card says and shows of its node or draft, and the title on the tab of a branch.
  card_nodes: Nodes on cards: of a stack of versions the one that is seen, its author, tint, height and
      indent.
  card_places: Places: where the cards of a tree are, kept up to date change by change; folding and
      hoisting.
  card_text: Words on cards: the types they are set in, their lines, and how many there are.
  cards: Cards: what one looks like, as a value, and how it is painted.
  draft_cards: Cards of drafts: each under the node that it continues, what it offers, and who takes over
      its row.
  scene: The scene: a tree, its drafts and its states as cards with faces; positions are those of `places`.
  scene_state: Values that a scene shows, of a tree, its path and drafts; its folds; and a selection of
      several nodes.
  spatial_index: Spatial index: cards as rectangles by row, those in a piece of canvas, and references that
      come near it.
"""
