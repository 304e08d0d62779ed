"""Cards of summaries among the messages.

Contents:
  between: Cards between messages: each stands below the message of its anchor, or above all if that is put
      away.
  candidate_box: The box of candidates in the card of a summary: one at a time, edited, and compared with
      the saved text.
  card: The card of a context summary: what it covers and saves, its text as a field, and what can be done.
  progress: Cards in the place of a summary: one that is being made, with Stop, or that failed, with Try
      again.
"""
