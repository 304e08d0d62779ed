"""Ghosts: answers on offer after the end of the text.

Contents:
  ghost_bar: The bar under a ghost: its four keys, which are also buttons.
  tail: Continuations shown after the end of the text: answers that stream or are only offered, one of
      several.
"""
