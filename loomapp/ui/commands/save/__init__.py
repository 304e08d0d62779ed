"""Saving: drafts, journal, what the disk did not take, and leaving.

Contents:
  displaced: Groves moved or replaced while they were open: the next start says so, and where their words
      are.
  draft_state: The draft state: the status bar says whether all that is written is saved, and in time it is.
  journal: Keepers of words, wired to the window: the journal, and the watch for changes of other programs.
  leave: Leaving: always possible, at once; asked about is only text that no file took, or that lies
      elsewhere.
  save: Saving what the user wrote: into the grove, or, while the disk takes nothing, kept where it was
      written.
"""
