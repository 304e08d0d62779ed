"""The script of the dialogue: entries, heights and cut marks of a path.

Contents:
  cuts: Cuts of a path: the marks between messages where the sent part begins and ends for want of room.
  entries: One message as it is shown: its text, its siblings, what streams beside it, and what becomes of
      it.
  heights: The heights of many rows: estimated until measured, with quick sums.
  long_messages: Long messages are folded: what of them is shown at first, and how long they are.
  outcomes: The words and icons for what happens to a message: not sent and why, or cut short.
  script: Script of a dialogue: the messages of a path in order, made into entries when they are asked for.
  stalls: Halts: why a draft gets no more text, as a sentence, and what can be done about it.
"""
