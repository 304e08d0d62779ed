"""The dialogue view: the active path as messages, or as one document.

Contents:
  column: A column of messages of which only the visible ones exist: placing, scrolling, keeping the place.
  empty: Empty path: how to begin, and first lines to take.
  reader: Reader of a column: goes to a message or walks by keys, edits in place, stays at the end or tells.
  search: Find in path: the bar, what is found in all messages, and the messages in which it is shown.
  selection: Selecting text across messages with the mouse, from a position in one to one in another, and
      copying it.
  view: The dialogue view: the active path as messages, what streams, and what is asked for.
  message/: One message of the dialogue: head, body, rows, editor.
  script/: The script of the dialogue: entries, heights and cut marks of a path.
  summary/: Cards of summaries among the messages.
  text/: The text of messages: safe documents, Markdown, code.
"""
