"""The buffer editor: the active path as one continuous text that a person and models write together.

Contents:
  controls: The buffer's own controls in the row of Generate: the ghost preview, and how authorship is
      shown.
  desk: The text of a buffer as commands know it: where the writer is, what is offered, what can be done
      there.
  find_bar: Find and replace over the path: words, how many there are, and what a replacement would make of
      each.
  ghost_bar: The bar under a ghost: its four keys, which are also buttons.
  head: The buffer in figures: how many words it has, and who wrote how much of it.
  tail: Continuations after the end of the text: answers that stream, and ghosts, which are only offered.
  view: The buffer: its head, the text with its margins, and what stands for a while over or below a
      passage.
  word_count: Word counts of a text and of its authors, counted passage by passage and only once for each
      node.
  margin/: The margin beside the text: authorship, versions, pagers.
  text/: The field of the buffer: an exact text, laid out and typed in.
"""
