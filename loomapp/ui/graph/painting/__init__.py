"""Painting of the graph, near and from afar.

Contents:
  blocks: Thousands of rectangles or lines in one call, straight from numpy arrays.
  edge_density: Haze: which edges are drawn where one card has more of them than can be told apart.
  far_signs: Signs that stay from afar: a dot on what nobody has looked at yet, a mark where nothing can be
      sent.
  far_view: The view from afar: cards as tinted blocks, and when there are too many of them as an image of
      dots.
  frame_counts: Counts of what a frame of the graph drew, for tests and benches.
  hovered_edge: Edges under the pointer: which one it is on, and how it is drawn then.
  overlay: Overlay of the cards: the hovered card's edge, its + and tools, the ring of the keyboard.
  painter: Painting the scene: edges and cards in the detail that the zoom can carry, cards kept as
      pictures.
  selection_marks: Marks of selected cards: of those in view, and of very many those that can be told apart.
  small_cards: Small cards, as they are drawn from further away: an author and one line, in type of reading
      size.
"""
