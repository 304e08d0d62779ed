"""Input to the graph: pointer, gestures, keys.

Contents:
  draft_stop: The draft that the keyboard stands on: walked to like a card, and asked for what its card
      offers.
  gestures: Gestures: what a pressed mouse button is doing until it is let go.
  key_walk: Walking the graph by keys: which card lies in a direction.
  pointer: The hand: what is under the pointer, and what a press on it turns out to be.
  preview: The preview: the whole text of a hovered card, as plain text beside it.
"""
