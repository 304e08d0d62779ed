"""Commands and controllers of the buffer.

Contents:
  answers: Answers at the end of a buffer: what streams or is offered there, and the writer's place beside
      it.
  buffer: The desk of a buffer: what the editor shows of the tree, and what becomes of what is written in
      it.
  caret_place: Caret and pointer in a buffer: what is written there, the passage that keys and panels are
      about.
  fill_in: Filling in at the caret: who can, what would be sent, and a strip below the text while it is
      written.
  ghosts: Ghosts: answers that are only offered after the end of the text, until they are taken or
      dismissed.
  pager: Turning passages over: another sibling or version in place; marks of both beside the text.
  passages: Passages of a buffer: going on from the caret, parting and joining them, and undo.
  search: Find and replace in a buffer: the bar, what is found, and where it is shown.
  text_view: The buffer as the text that commands are about: passages of one text, and a caret in it.
"""
