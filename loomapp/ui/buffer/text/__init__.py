"""The field of the buffer: an exact text, laid out and typed in.

Contents:
  editor: Text of a buffer, editable: keys, steps by words, input methods, and what is written handed on.
  exact_text: A field that shows an exact text, with a tail after it: what Qt does to its document is told
      as splices.
  prose_column: Column of an exact text on the screen: its width, its lines, and the part that is in view.
  prose_layout: Layout of prose in blocks of which only those in view are set, and its lines by position.
  shown_tail: Text shown after the end of a text that is no part of it: answers that stream, and ghosts.
  view_text: Mapping between an exact text and the editor's document: nothing is ever read back changed.
"""
