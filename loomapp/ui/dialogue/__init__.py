"""The dialogue view: the active path as messages, or as one document.

Contents:
  column: A column of messages of which only the visible ones exist: placing, scrolling, keeping the place.
  editors: Editors in a column of messages: one opened in a message's place, asked for its words, and
      closed.
  empty: Empty path: how to begin, and three first lines to take.
  key_walk: Walking by keys: through a column of messages by line or page, or from one to the next.
  pill: The pill over the end of the dialogue: there is new text below.
  pointer_selection: Selecting text across messages with the mouse, and copying it.
  reader: Reader of a column of messages: goes to one, opens it, stays at the end.
  search: Find in path: the bar, what is found, and the messages in which it is shown.
  suggestion: A first line to take: a quiet, wide button.
  view: The dialogue view: the active path as messages, what streams, and what is asked for.
  message/: One message of the dialogue: head, body, rows, editor.
  script/: The script of the dialogue: entries, heights and cut marks of a path.
  text/: The text of messages: safe documents, Markdown, code.
"""
