"""Generation: the request of a tree, its events, and the nodes that answers become."""
