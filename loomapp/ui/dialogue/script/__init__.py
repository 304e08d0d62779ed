"""The script of the dialogue: entries, heights and cut marks of a path.

Contents:
  entries: One message as it is shown: its text and siblings, what streams beside it, what becomes of it, in
      words.
  heights: Heights of messages: estimated until measured, with quick sums; and long ones, which are folded.
  script: Script of a dialogue: the messages of a path in order, made into entries, and the marks where it
      is cut.
"""
