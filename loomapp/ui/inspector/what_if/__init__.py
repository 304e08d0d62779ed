"""Variants of the coming context, side by side: “What if…”.

Contents:
  bar: The bar over what is tried: that the tree stays as it is, what can be done with it, and the way back.
  panel: Panel of variants, beside the rows: each as a card, and the settings of the chosen one that can
      differ.
  strategies: Strategies side by side with the context: a card for the context of each, and a click takes
      it.
"""
