"""The command palette: every action, tree and bookmark, and the nodes of this tree by their text."""
