"""The side bar below the trees: the outline of the open tree, and its bookmarks."""
