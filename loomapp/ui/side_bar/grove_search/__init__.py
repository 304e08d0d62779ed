"""Search in every tree of the grove, in the side bar.

Contents:
  panel: The search of the grove in the side bar: a field, what was found, or a word about why nothing is
      there.
  rows: Rows of the search: what a node says around the words, and below it where that is.
"""
