"""The inspector: what would be sent, what is known of a node, and the history of the tree."""
