"""Commands that attach nodes, files and images to the coming generation.

Contents:
  attachments: Attachments of the coming generation: nodes by key or dragged, files and images; chips show
      them.
  document_drop: Documents dragged from their list onto a card or the text: context or instruction of what
      is generated.
  intake: Taking files and images in, chosen, pasted or dropped: part of the message, or nodes that go
      along.
  role_menu: Menu of the roles that a node can have in the next generation: context or instruction.
"""
