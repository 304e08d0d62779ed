"""Input to the graph: pointer, gestures, keys.

Contents:
  gestures: Gestures: what a pressed mouse button is doing until it is let go.
  key_walk: Walking the graph by keys: which card lies in a direction, and the draft that the keyboard
      stands on.
  pointer: The hand: what is under the pointer, and what a press on it turns out to be.
"""
