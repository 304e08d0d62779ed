"""Input to the graph: pointer, gestures, keys."""
