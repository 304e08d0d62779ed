"""Answers that stream to a command line: journalled, kept when it ends, found again after a kill.

Contents:
  journal: The journal of answers that stream to a command line: a kill costs a second of them at most.
  left_answers: Answers of a command line that broke off: the next one that writes to the grove makes nodes
      of them.
  stream: One request from its first event to its nodes, with Ctrl+C as Stop: what is there by then is kept.
"""
