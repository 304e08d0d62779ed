"""Motion in the graph: the camera, and cards that move.

Contents:
  anchor: The anchor: what stays where it is on the screen when cards move, and the first look at a tree.
  camera: The camera: which part of the canvas the viewport shows, and how large.
  camera_flight: A flight: the camera's way from one look to another.
  card_moves: Moves: where the cards in view are painted, and the drift that brings them from there to other
      places.
  drift: The drift: cards that were given other places glide there from where they were.
  looks: A look at the graph that can be kept: a card, where it stands from the middle of the view, and the
      zoom.
"""
