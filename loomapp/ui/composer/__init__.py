"""Under the text: the composer, what would be sent in numbers, notes.

Contents:
  composer: The composer: what is said next, how many answers are wanted, Generate and Stop.
  composer_parts: Parts of the composer: the text with keys and undo, the number of answers, and chips of
      sources.
  composer_rows: Rows around the composer: what is further down, a question before sending much, a note one
      writes.
  context_bar: The context bar: how much of the model's window would be sent now, and what would be left
      out.
  proposal_panel: Proposals of agents above the composer: a row each, accepted or refused one by one or all
      at once.
  text_pane: Right side: the active path as text, as commands know it, under its head; numbers; the
      composer.
"""
