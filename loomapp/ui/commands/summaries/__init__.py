"""Commands about summaries of a conversation: asking for them, and the card of the one in use.

Contents:
  card: The summary of the path that is read, on its card above the dialogue: edited, made again, deleted.
  conversation: Summaries of the conversation: asked for by hand, made once an answer has landed, or before
      one is sent.
"""
