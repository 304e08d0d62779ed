"""Painting of the graph, near and from afar.

Contents:
  blocks: Thousands of rectangles or lines in one call, straight from numpy, and counts of what a frame
      drew.
  bracket: Bracket over the cards that a summary stands for, with a pill that says how many and what they
      cost.
  card_signs: Signs on cards and edges: the pill of an agent, the tab of a branch, the chip of what is
      shortened.
  edges: Edges: their paths and looks, which of very many are drawn, and the one under the pointer.
  far_view: The view from afar: cards as tinted blocks or dots, and signs that stay: unread, failed, not to
      be sent.
  found_words: Words that are looked for, marked on cards: where they are read, and on the edge of each card
      with them.
  overlay: Overlay of the cards: the hovered card's edge and tools, the ring of the keyboard, marks of
      selections.
  painter: Painting the scene: edges, and cards as pictures that are kept, or small ones, as the zoom can
      carry.
  whole_picture: Pictures of the whole graph as it is laid out, not of the part in view: painted a few cards
      at a time.
"""
