"""Words about the context: outcomes, reasons, adjustments, remedies, verdicts, and icons beside them.

Contents:
  amounts: Amounts in words: tokens and characters, of one as of several.
  context_words: Words of the inspector: reasons, adjustments, warnings and verdicts, and the icons beside
      them.
  facts: Facts as a two-column list: a name, and a value that can be selected.
  outcome_words: Words and icons for the fate of a node in the coming context: on the path and off it.
  remedy_words: Words of what helps: remedies of the core with their numbers, and steps that lead elsewhere.
  variant_words: Words of a variant: its name, and in what it differs from the tree as it is.
  verdict: A verdict: what verification says of a node, in words and with an icon.
"""
