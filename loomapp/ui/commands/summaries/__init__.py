"""Commands about summaries of a conversation: asking for them, and the card of the one in use.

Contents:
  card: Cards of the summaries of the path that is read: among its messages, edited, made again, deleted.
  card_facts: Contents of the card of a summary: what it covers, costs and saved, whether it is used, and
      why not.
  conversation: Summaries of the conversation: asked for by hand, made once an answer has landed, or before
      one is sent.
"""
