"""Text of a raw response: read back from its bytes without any SDK, and the rules by which nodes take it.

`chunks` one chunk of an answer in each protocol, shared with the providers · `server_events` a body cut into
events · `body` a whole body to the text of each choice · `tokens` and `told` what it says beside that ·
`rules` the registry of rules · `noted` what was noted with it, compared · `comparison` nodes
compared with what they rest on.

Contents:
  body: Bodies of responses: from the bytes that were kept to the text of each choice.
  chunks: One chunk of an answer in each protocol: its text, whether it comes from an SDK or is parsed JSON.
  comparison: Comparison of model nodes with the responses they rest on: why a text is not the text of its
      response.
  noted: Comparison of facts noted with a response and those the response itself tells: model, id, tokens,
      ends.
  rules: Rules by which a node's text is taken from its response: a registry, one function and one line
      each.
  server_events: Server-sent events of a body that was kept whole.
  tokens: Tokens that a response says it counted, in each protocol: shared by providers and by verification.
  told: Facts of a response beside its words: its id, its model, why each choice ended, tokens it counted.
"""
