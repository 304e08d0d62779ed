"""Text of a raw response: read back from its bytes without any SDK, and the rules by which nodes take it.

`chunks` one chunk of an answer in each protocol, shared with the providers · `server_events` a body cut into
events · `body` a whole body to the text of each choice · `tokens` and `told` what it says beside that ·
`rules` the registry of rules · `noted` what was noted with it, compared · `comparison` nodes
compared with what they rest on.
"""
