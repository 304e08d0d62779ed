"""Words about the context: outcomes, reasons, adjustments, remedies, verdicts, and icons beside them.

Contents:
  amounts: Amounts in words: tokens, characters, waits, and what was shortened, with its sizes before and
      after.
  context_words: Words of the inspector: reasons, adjustments, warnings, verdicts, remedies, and the icons
      beside them.
  outcome_words: Words and icons: the fate of a node in the coming context, proposals, and in what a variant
      differs.
"""
