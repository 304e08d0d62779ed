"""Cards of summaries among the messages.

Contents:
  between: Cards between messages: each stands below the message of its anchor, or above all if that is put
      away.
  candidate_box: The box of candidates in the card of a summary: one at a time, edited, and compared with
      the saved text.
  card: The card of a context summary: what it covers and saves, its text as a field, and what can be done.
  failure: The card in the place of summaries that failed several times in a row: why, and Try again.
  progress: The card of a summary that is being made: how far it is, by whom, since when, and Stop.
"""
