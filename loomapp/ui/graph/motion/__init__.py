"""Motion in the graph: the camera, and cards that move.

Contents:
  camera: The camera: which part of the canvas the viewport shows, how large, and its flight to another
      look.
  card_moves: Moves of cards: their drift, where they are painted meanwhile, what stays in place, looks that
      are kept.
"""
