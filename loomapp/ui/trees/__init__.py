"""Trees of the grove: the list, a tree's settings, trees in and out of files."""
