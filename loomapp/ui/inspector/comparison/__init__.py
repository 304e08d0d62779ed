"""The comparison of messages, side by side.

Contents:
  column: A column of the comparison: who wrote a message, and its text with the words in which it differs.
  page: The page that compares messages side by side; Esc closes it.
"""
