"""Summaries of branches: the chain of heads, the text that it makes, and what it saved.

Contents:
  head_row: Row of one head of a chain: its title and tokens, its summary in one line or the field for it.
  panel: The tab Summaries: the heads from the root to the current node, the text they make, and what it
      saved.
"""
