"""Commands that attach nodes, files and images to the coming generation.

Contents:
  attachments: Attachments of the coming generation: nodes by key or dragged, in their roles, documents,
      files.
  intake: Taking files and images in, chosen, pasted or dropped: part of the message, or nodes that go
      along.
"""
