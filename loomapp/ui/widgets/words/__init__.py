"""Words about the context: outcomes, reasons, adjustments, remedies, verdicts, and icons beside them.

Contents:
  amounts: Amounts in words: tokens and characters, of one as of several, and the wait for a first word.
  context_words: Words of the inspector: reasons, adjustments, warnings, verdicts, remedies, and the icons
      beside them.
  facts: Facts as a list of names and values, and the verdict of verification in words and with an icon.
  outcome_words: Words and icons for the fate of a node in the coming context, and for what an agent
      proposes.
  shortened_words: Words for what was shortened in a context: a chip, and the reason with the sizes before
      and after.
  variant_words: Words of a variant: its name, and in what it differs from the tree as it is.
"""
