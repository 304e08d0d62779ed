"""The buffer editor: the active path as one continuous text that a person and models write together.

Contents:
  bars: Bars of a buffer: find and replace, keys of a ghost, and its controls in the row of Generate.
  desk: The text of a buffer as commands know it: where the writer is, what is offered, what can be done
      there.
  head: The buffer in figures: how many words it has, counted passage by passage, and who wrote how much.
  tail: Continuations after the end of the text: answers that stream, and ghosts, which are only offered.
  view: The buffer: its head, the text with its margins, and what stands for a while over or below a
      passage.
  margin/: The margin beside the text: authorship, versions, pagers.
  text/: The field of the buffer: an exact text, laid out and typed in.
"""
