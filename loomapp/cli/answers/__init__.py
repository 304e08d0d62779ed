"""Answers that stream to a command line: journalled, kept when it ends, found again after a kill.

Contents:
  agent_run: A run of a loom-aware agent on the command line: its steps as they come, and what it came to.
  journal: The journal of answers that stream to a command line, and those left by one that broke off.
  stream: One request from its first event to its nodes, with Ctrl+C as Stop: what is there by then is kept.
"""
