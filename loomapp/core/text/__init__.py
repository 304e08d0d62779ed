"""Text by itself: differences, search, words, graphemes, estimated tokens."""
