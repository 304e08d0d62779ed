"""One message of the dialogue: head, body, rows, editor.

Contents:
  body: The body of a message: a document painted at its full height; the documents used last are kept
      ready.
  editor: Editing a message in its place: its text as it is stored, saved as a sibling, closed, or
      discarded.
  foot: Rows around the body of a message: cut marks, reasoning, pictures; notes, an error, other ways under
      it.
  foot_rows: Rows under a message: a note on it, another way to go on, and why it is not sent or was cut
      short.
  head: The head of a message: mark, name, what is special about it, and when; and the tools that come on
      hover.
  menu: The menu of a message: copying, and the same acts as its tools.
  message: One message on the screen: head, sibling pager, body, its fate, notes, an error, other ways to go
      on.
  run_trace: Trace of a loom-aware agent under its answer: command lines and what came of them, folded when
      done.
"""
