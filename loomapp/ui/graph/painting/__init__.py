"""Painting of the graph, near and from afar.

Contents:
  card_signs: Signs on cards and edges: pills, tabs, chips, words looked for, the bracket over what a
      summary covers.
  edges: Edges: their paths and looks, which of very many are drawn, and the one under the pointer.
  far_view: View from afar: tinted blocks or dots, thousands in one call, and signs: unread, failed, not to
      be sent.
  overlay: Overlay of the cards: the hovered card's edge and tools, the ring of the keyboard, marks of
      selections.
  painter: Painting the scene: edges, and cards as pictures that are kept, or small ones, as the zoom can
      carry.
  whole_picture: Pictures of the whole graph as it is laid out, not of the part in view: painted a few cards
      at a time.
"""
