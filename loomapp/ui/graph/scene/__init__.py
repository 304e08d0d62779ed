"""The scene of the graph: cards, their places and faces."""
