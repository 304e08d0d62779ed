"""Commands that attach nodes, files and images to the coming generation.

Contents:
  attachments: Attachments of the coming generation: nodes by key or dragged, files and images; chips show
      them.
  drops: Drops: files and images that fall on the messages or on a card.
  intake: Taking files and images in: read beside the window, then part of the message, or nodes that go
      along.
"""
