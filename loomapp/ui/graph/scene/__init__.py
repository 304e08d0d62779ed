"""The scene of the graph: cards, their places and faces.

Contents:
  card_faces: Faces: what a card says and shows of its node or draft.
  card_heights: Measuring: how high cards are, one by one and for a whole tree.
  card_nodes: Nodes on the faces of cards: of a stack of versions the one that is seen, its author, and its
      height.
  card_places: Places: where the cards of a tree are, kept up to date change by change; folding and
      hoisting.
  card_text: Words on cards: the types they are set in, their lines, and how many there are.
  cards: Cards: what one looks like, as a value, and how it is painted.
  chosen: A selection of several nodes, and what is true of them, each found once while nothing moves.
  draft_acts: Acts: what the card of a draft that failed or waits offers in words, where that is, and how it
      is drawn.
  draft_cards: Cards of drafts: those that are no nodes yet, each under the node that it continues, after
      its siblings.
  face_cache: Faces that were made already: each is made when it is asked for, and kept until something on
      it changes.
  fold_memory: Folds as the owner of a scene keeps them: told when a tree is left, and applied when it is
      shown again.
  path_numbers: The numbers of the cards on a path, found from those of the path before where the two are
      the same.
  prepared: Ahead: the cards of a tree and their places, made before it is shown, mostly on another thread.
  references: References: lines between cards besides those that the layout follows, and which of them are
      near.
  relayout: The tidier: when nobody touches the graph, large trees are laid out anew on another thread.
  row_order: Seats: rows for few cards that come to a layout as it is, in the order of their families.
  scene: The scene: a tree, its drafts and its states as cards with faces; positions are those of `places`.
  scene_state: Values that a scene shows: a tree and its agents, the path, the current node, drafts, fates.
  spatial_index: Spatial index of cards: rectangles by row, the rows in a piece of canvas, and the card
      under a point.
  tints: Tints: which colour each card has, told when it is asked for first and kept as numbers.
"""
