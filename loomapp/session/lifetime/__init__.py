"""The lifetime of an open grove: its lock, its backups, other writers, its end.

Contents:
  backups: Backups and the mirror folder while the window is open: made beside it when one is due, never
      awaited.
  crashes: Ends of the program: every way in which it fails, the marker of a bad end, and the quick good
      one.
  foreign_writes: Writes of other programs: heard within a second, and the nodes that came, until somebody
      looked at them.
  grove_lock: One window a grove: its lock, the message that wakes it, and drafts adopted from another name
      of the grove.
"""
