"""Salvage: what can be read of a damaged grove, in a new file.

Contents:
  damaged_file: A damaged file read by ranges of keys, around what is broken, also without its first pages.
  reattach: Trees and chains made whole again: lost rows from the log, a root for what is left over, a new
      head.
  repair: Salvaged rows made a grove again: nothing points at nothing, every node has its place, the log
      says so.
  salvage: All that can be read of a damaged grove in a new file; the damaged one is never written.
"""
