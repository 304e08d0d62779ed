"""Motion in the graph: the camera, and cards that move.

Contents:
  camera: The camera: which part of the canvas the viewport shows, how large, and its flight to another
      look.
  card_moves: Moves of cards: the drift to other places, where cards are painted meanwhile, and what stays
      in place.
  looks: A look at the graph that can be kept: a card, where it stands from the middle of the view, and the
      zoom.
"""
