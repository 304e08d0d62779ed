"""The journal: words that are not committed yet, kept against a crash.

Contents:
  draft_queue: The queue of drafts on their way to disk: the newest of each, written soon, tried again after
      a fault.
  journal: The journal: words that are no node yet are on disk within a second, and offered again after a
      crash.
  left_drafts: Drafts that the last session left: answers to save, ghosts to offer, and nodes asked about
      elsewhere.
"""
