"""Words that are in no node yet: begun edits and notes, what the file did not take, what was left over.

Contents:
  offers: Leftovers of the last session that only the user can decide: offered one by one, none forgotten.
  open_edits: Open edits, notes and summaries: their words are kept, also of those closed by Esc, and opened
      again.
  unsaved: Changes that the file did not take: kept until it does, said in the banner, tried again from
      there.
"""
