"""The graph: one canvas on which a loom tree is read, walked and branched.

Contents:
  canvas: The canvas: a scene seen through a camera; panning, zooming, fitting, and what floats in the
      corners.
  crumbs: Crumbs above the graph: the tree, a branch that stands alone, the way to where one is, and the
      zoom bar.
  minimap: The minimap: the whole tree small, and the part in view as a frame that can be dragged.
  selectable_canvas: The canvas with a hand: branches that fold, several cards selected, the unread, what
      the text points at.
  view: The graph view: one canvas of cards on which a tree is panned, zoomed, walked and acted on.
  walkable_canvas: The canvas with a keyboard: keys walk from card to card and act on them; letters are keys
      or words.
  input/: Input to the graph: pointer, gestures, keys.
  motion/: Motion in the graph: the camera, and cards that move.
  painting/: Painting of the graph, near and from afar.
  scene/: The scene of the graph: cards, their places and faces.
"""
