"""Prose: a path as one text, typed in, split, joined, and attributed.

Contents:
  authorship: Authorship: who wrote which characters of a node, back along what it was edited from.
  buffer_text: Buffer text: the active path of a buffer as one text, passage by passage, with what is typed
      in each.
  edit_session: Typing into the passages of a buffer's text, and a sitting, in which all of it is one
      version of each.
  fill_in: Filling in a gap at the caret, and the anchor of an answer, which follows versions made meanwhile
      too.
  passage_change: Passage change: one Change of a buffer's text as it comes together, and where places are
      after one.
  passage_edits: Edits of a buffer's text: several passages at once, a passage parted or put together with
      others.
  path_choice: Choices of a path of a buffer: another version of a passage or another way on, and how many
      there are.
"""
