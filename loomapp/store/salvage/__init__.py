"""Salvage: what can be read of a damaged grove, in a new file.

Contents:
  chain_repair: The chain of a grove that was repaired: kept where it leads to the head it had, else begun
      anew.
  first_pages: A grove whose first pages are gone: what they said is known from its backups, or from a new
      grove.
  readable_rows: Readable rows of the tables of a damaged file: by ranges of keys, row by row around what is
      broken.
  reattach: A tree that lost rows made whole again: edges the log knows, and a root for what is left over.
  repair: Salvaged rows made a grove again: nothing points at nothing, every node has its place, the log
      says so.
  salvage: All that can be read of a damaged grove in a new file; the damaged one is never written.
"""
