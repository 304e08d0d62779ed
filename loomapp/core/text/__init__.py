"""Text by itself: differences, search, words, graphemes, estimated tokens; command lines in an answer.

Contents:
  command_lines: Command lines in an agent's answer: which lines are commands, and what of it is said to
      people.
  diff: Differences of two texts: the words kept, what they share at both ends, and what changed in a
      message.
  graphemes: Graphemes: what a reader takes for one character, and where none may be cut.
  query: Searching texts: the words of a query, their place and others put there, titles meant by a few
      letters.
  token_counts: Token counts of a text, by named estimators, and of a context's parts, by providers and
      tokenizers.
"""
