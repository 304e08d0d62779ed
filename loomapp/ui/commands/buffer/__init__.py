"""Commands and controllers of the buffer.

Contents:
  answers: Answers at the end of a buffer: what streams or is offered there, and the writer's place beside
      it.
  buffer: The desk of a buffer: what the editor shows of the tree, and what becomes of what is written in
      it.
  caret_place: Caret's place in a buffer: the passage of the caret is the one that keys and panels are
      about.
  cut_marks: Cut marks of a buffer: the place at which the sent text begins, where not all has room, and
      gaps.
  export: The path as a clean document: plain text or Markdown, exactly what is written, nothing beside it.
  fill_in: Filling in at the caret: who can, what would be sent, and a strip below the text while it is
      written.
  ghosts: Ghosts: answers that are only offered after the end of the text, until they are taken or
      dismissed.
  input: Input in a buffer: what the editor shows already as somebody wrote it is handed to the session.
  not_saved: Unsaved words of a buffer: their writer is told of them, and can try again or copy them.
  pager: Turning passages over: another sibling, with all that follows it; another version, in its one
      place.
  pager_keys: Keys of the window that turn over the passage of the caret: its siblings and its versions.
  passages: Passages of a buffer: going on from the caret, parting and joining, undo.
  pointer: Pointer over a buffer: a passage and its card light up together, with the name of its author.
  search: Find and replace in a buffer: the bar, what is found, and where it is shown.
  text_view: The buffer as the text that commands are about: passages of one text, and a caret in it.
  undo: Taking back: where the writer is once a step of typing or a change is undone, or done again.
  word_counter: Counting the words of a buffer when writing rests, in slices, and showing how many there
      are.
"""
