"""The field of the buffer: an exact text, laid out and typed in.

Contents:
  editor: The editor itself: one text that a person writes in, with what is only shown after its end.
  exact_text: A field that shows an exact text, with a tail after it: what Qt does to its document is told
      as splices.
  lines: The lines on the screen, measured once for all that stands in them or beside them.
  prose_column: Column of an exact text on the screen: its width, its lines, and the part that is in view.
  prose_layout: The layout of the editor's text: lines of one height, and colours only for what is laid out.
  seams: Seams: where a long paragraph is split in the view, moved to where its lines break, so that none
      shows.
  shown_tail: Text shown after the end of a text that is no part of it: answers that stream or are only
      offered.
  view_text: Mapping between an exact text and the editor's document: nothing is ever read back changed.
  word_steps: Steps by a word where a long paragraph is split in the view: as if it was not.
"""
