"""The scene of the graph: cards, their places and faces.

Contents:
  card_faces: Faces: what a card says and shows of its node or draft.
  card_heights: Measuring: how high cards are, one by one and for a whole tree.
  card_nodes: Nodes on cards: of a stack of versions the one that is seen, its author, its height, and its
      face.
  card_places: Places: where the cards of a tree are, kept up to date change by change; folding and
      hoisting.
  card_text: Words on cards: the types they are set in, their lines, and how many there are.
  cards: Cards: what one looks like, as a value, and how it is painted.
  chosen: A selection of several nodes, and what is true of them, each found once while nothing moves.
  draft_cards: Cards of drafts: each under the node that it continues, and what those that failed or wait
      offer.
  path_numbers: The numbers of the cards on a path, found from those of the path before where the two are
      the same.
  prepared: Ahead: the cards of a tree and their places, made before it is shown, mostly on another thread.
  references: References: lines between cards besides those that the layout follows, and which of them are
      near.
  relayout: The tidier: when nobody touches the graph, large trees are laid out anew on another thread.
  row_order: Seats: rows for few cards that come to a layout as it is, in the order of their families.
  scene: The scene: a tree, its drafts and its states as cards with faces; positions are those of `places`.
  scene_state: Values that a scene shows, of a tree, its path and its drafts; and its folds, as their owner
      keeps them.
  spatial_index: Spatial index of cards: rectangles by row, the rows in a piece of canvas, and the card
      under a point.
  tints: Tints: which colour each card has, told when it is asked for first and kept as numbers.
"""
