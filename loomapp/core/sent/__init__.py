"""Record of the request behind every answer, sending it again, and comparing it with a request of today.

Contents:
  inputs: Inputs: everything that decides what is sent, apart from the words of the nodes, which never
      change.
  record: The record of what was sent: the inputs, the report and a digest, kept with the response it led
      to.
  remedies: Remedies: what would help where a context cannot be assembled or a node has no room, each one
      tried.
  replay: Replay: what a request of the past would send today, and what makes the difference.
  trial: A trial: what would be sent if something were otherwise, without touching the tree; and making it
      so.
  variant: A variant: what is tried instead, told as the difference from today, so that it follows what is
      typed.
"""
