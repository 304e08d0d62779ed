"""The journal: words that are not committed yet, kept against a crash.

Contents:
  answer_drafts: Drafts of the answers that are being streamed, kept until they are committed.
  asked_elsewhere: Nodes that other processes ask about just now: what they stream is to hang on them.
  draft_queue: The queue of drafts on their way to disk: the newest of each, written soon, tried again after
      a fault.
  ghost_answer: A ghost answer: shown after the end of a text but not in its tree, and how much of it was
      taken.
  journal: The journal: words that are no node yet are on disk within a second, and offered again after a
      crash.
  left_drafts: Drafts that the last session left: answers to save, and words to offer again in the window.
"""
