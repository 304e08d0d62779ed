"""Commands of the graph: folding, branches, following an answer."""
