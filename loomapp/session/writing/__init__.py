"""Writing in a buffer: from keystrokes to passages, undone step by step.

Contents:
  buffer_commit: Commits of the open buffer: all that is uncommitted becomes nodes, by sittings and runs of
      commits.
  buffer_input: Input of a writer into the open buffer: typed, replaced, moved, taken back and done again.
  buffer_session: A session of writing in the open buffer: what is typed until it is committed as versions
      and a new node.
  continuation: Continuation of a buffer's text: the node that a model goes on from, made ready or only
      looked ahead to.
  open_buffer: The open buffer: its text, what of it is uncommitted and kept in the journal, its typing, its
      autosave.
  passages: Acts on whole passages of the open buffer: split, merge, choose, replace.
  text_beside_answer: Text beside an answer that is being written: before it, behind it, or waiting for it
      out of sight.
  text_commit: Commits of written text: what is under the pen becomes nodes of the tree; the text stays as
      it is.
  typing_undo: Undo of typing: which strokes are one step, and states of the uncommitted text to go back to.
"""
