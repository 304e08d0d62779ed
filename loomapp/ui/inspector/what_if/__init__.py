"""Variants of the coming context, side by side: “What if…”.

Contents:
  panel: Panel of variants, beside the rows: each as a card, and the settings of the chosen one that can
      differ.
  strategies: Strategies side by side with the context: a card for the context of each, and a click takes
      it.
"""
