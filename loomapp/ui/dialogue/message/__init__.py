"""One message of the dialogue: head, body, rows, editor.

Contents:
  acts: Acts that can be asked of a message, by its parts, the mouse and the keyboard: facts for who shows
      it.
  body: The body of a message: a document painted at its full height; nothing in it acts by itself.
  cut_mark: The line between two messages where what is sent begins or ends for want of room.
  editable: Message whose text can be changed in its place: its editor, opened, told of, and put away.
  editor: Editing a message in its place: the text as it is stored, saved as a sibling, closed, or
      discarded.
  foot: Foot of a message, under its text: its fate, its notes, an error, and the other ways to go on.
  head: The head of a message: mark, name, what is special about it, and when; and the tools that come on
      hover.
  menu: The menu of a message: copying, and the same acts as its tools.
  message: One message on the screen: head, body, its fate, its notes, an error, and the other ways to go
      on.
  note_row: A note under the message that it is on: one line, read in full as its tool tip, sent with it or
      not.
  option_row: A row under a message: another sibling or draft in one line; a click shows it.
  outcome_row: The row under a message that is not sent or was cut short: why, and what can be done about
      it.
  picture_row: The pictures of a message: small, side by side, each a button that shows it large.
  reasoning_row: The reasoning before an answer: one line that says how much, and all of it on demand. Never
      sent again.
"""
