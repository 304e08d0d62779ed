"""Words that are in no node yet: begun edits and notes, what the file did not take, what was left over.

Contents:
  open_edits: Open edits, notes, summaries, documents: their words are kept, those closed by Esc too, to go
      on with.
  unsaved: Changes that the file did not take: kept, said, tried again; leftovers that the user decides on.
"""
