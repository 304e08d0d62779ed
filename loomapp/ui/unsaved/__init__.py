"""Words that are in no node yet: begun edits and notes, what the file did not take, what was left over.

Contents:
  closed_texts: Closed edits and notes: left unfinished by Esc, told of above the composer, opened again
      from there.
  offers: Leftovers of the last session that only the user can decide: offered one by one, none forgotten.
  open_edits: Edits and notes while they are written: kept as they are typed, whatever is shown meanwhile.
  unsaved: Changes that the file did not take: kept until it does, said in the banner, tried again from
      there.
"""
