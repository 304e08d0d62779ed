"""Text of a raw response: read back from its bytes without any SDK, and the rules by which nodes take it.

Contents:
  body: Bodies of responses: from the bytes that were kept, by server-sent events, to the text of each
      choice.
  chunks: Chunks of an answer in each protocol, their words, and facts of a response beside them: model,
      end, tokens.
  comparison: Comparison of model nodes and noted facts with the responses they rest on: why something is
      otherwise.
  rules: Rules by which a node's text is taken from its response: a registry, one function and one line
      each.
  summaries: Comparison of summaries with the responses they were taken from: which are otherwise, and why.
"""
