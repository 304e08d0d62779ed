"""The lifetime of an open grove: its lock, its backups, other writers, its end.

Contents:
  adopted_drafts: Drafts of a grove that lie under another name, brought under its own when it is opened.
  backups: Backups while the window is open: made on a thread of their own when one is due, never awaited.
  crashes: Crashes: every way in which a program says that it failed, in one place, and the marker of a bad
      end.
  grove_lock: One window a grove: a lock beside the file, and the message with which a second start wakes
      the first.
  process_end: The end of the window's process: at once, as soon as everything that must last is on disk.
  watch: The watch: hears within a second what other programs commit to the open grove, or do to its file.
"""
