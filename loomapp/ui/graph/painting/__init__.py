"""Painting of the graph, near and from afar.

Contents:
  agent_pill: Mark of an agent on the card that it reads, or where it writes or asks, while its run goes on.
  blocks: Thousands of rectangles or lines in one call, straight from numpy, and counts of what a frame
      drew.
  bracket: Bracket over the cards that a summary stands for, with a pill that says how many and what they
      cost.
  edge_chips: Chips on the edges of cards: what of a message is sent shortened, before and after.
  edges: Edges: their paths and looks, which of very many are drawn, and the one under the pointer.
  far_view: The view from afar: cards as tinted blocks or dots, and the signs that stay: unread, and not to
      be sent.
  overlay: Overlay of the cards: the hovered card's edge and tools, the ring of the keyboard, marks of
      selections.
  painter: Painting the scene: edges, and cards as pictures that are kept, or small ones, as the zoom can
      carry.
  tabs: Tabs on cards: the title of a branch on the upper edge of its head.
  whole_picture: Pictures of the whole graph as it is laid out, not of the part in view: painted a few cards
      at a time.
"""
