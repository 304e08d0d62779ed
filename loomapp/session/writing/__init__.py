"""Writing in a buffer: from keystrokes to passages, undone step by step.

Contents:
  autosave: Autosave: what is written is committed once its writer pauses.
  buffer_commit: Commits of the open buffer: all that is uncommitted becomes nodes, by sittings and runs of
      commits.
  buffer_input: Input of a writer into the open buffer: text typed, replaced or moved, each a step of undo.
  buffer_session: A session of writing in the open buffer: what is typed until it is committed as versions
      and a new node.
  buffer_undo: Undo in a buffer: steps of typing first, then Changes, in the order in which they were done.
  continuation: Continuation of a buffer's text: the node that a model goes on from, made ready or only
      looked ahead to.
  journalled_text: The uncommitted text of the open buffer, kept in the journal as it is written.
  open_buffer: The open buffer: its text, what is uncommitted in it, and the steps of its typing.
  passages: Acts on whole passages of the open buffer: split, merge, choose, replace.
  text_beside_answer: Text beside an answer that is being written: before it, behind it, or waiting for it
      out of sight.
  text_commit: Commits of written text: what is under the pen becomes nodes of the tree; the text stays as
      it is.
  typing_undo: Undo of typing: states of the uncommitted text to go back to, from the first key to the
      commit.
  undone_changes: Undone Changes of a text, done again in the order and place in which they were taken back.
  waiting_texts: Texts that wait behind an answer until it is a node, or has ended without text.
"""
