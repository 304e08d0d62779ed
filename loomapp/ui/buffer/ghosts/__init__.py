"""Ghosts: answers on offer after the end of the text.

Contents:
  ghost_bar: The bar under a ghost: its four keys, which are also buttons.
  tail: What stands after the end of the text: answers that stream, or that are only offered, one of
      several.
"""
