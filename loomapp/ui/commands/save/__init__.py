"""Saving: drafts, journal, what the disk did not take, and leaving.

Contents:
  draft_state: State of drafts: the status bar says whether all that is written is saved, and words that are
      not.
  journal: Keepers of words, wired to the window: the journal, and the watch for changes of other programs.
  leave: Leaving: always possible; asked about is only text that no file took, or that lies elsewhere.
  save: Saving what the user wrote: into the grove, or, while the disk takes nothing, kept where it was
      written.
"""
