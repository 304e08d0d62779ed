"""Words that are in no node yet: begun edits and notes, what the file did not take, what was left over.

Contents:
  offers: Leftovers of the last session that only the user can decide: offered one by one, none forgotten.
  open_edits: Open edits, notes, summaries, documents: their words are kept, those closed by Esc too, to go
      on with.
  unsaved: Changes that the file did not take: kept until it does, said in the banner, tried again from
      there.
"""
