"""Text by itself: differences, search, words, graphemes, estimated tokens.

Contents:
  diff: Diff of a text before and after a change: the words kept, and what words share at their two ends.
  find_replace: Finding words in a text, and what it would say with others in their place.
  fuzzy: Fuzzy matching: whether a few typed letters mean a title, how well, and which letters of it they
      are.
  graphemes: Graphemes: what a reader takes for one character, and where none may be cut.
  query: Searching texts: the words of a query, whether a text holds them all, and the words around the
      place.
  spelling_words: Words of prose in a text, to be looked up in a dictionary: no code, addresses, file names
      or initials.
  token_estimates: Named token estimators; an estimate is never shown as a measured number.
  word_diff: Comparing messages: which of their words differ, and what they have in common above them.
"""
