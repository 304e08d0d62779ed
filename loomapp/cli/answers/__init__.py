"""Answers that stream to a command line: printed as they come, with Ctrl+C as Stop.

Contents:
  agent_run: A run of a loom-aware agent on the command line: its steps as they come, and what it came to.
"""
