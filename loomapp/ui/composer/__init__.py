"""Under the text: the composer, what would be sent in numbers, notes.

Contents:
  composer: The composer: what is said next, how many answers are wanted, Generate and Stop.
  composer_field: Fields of the composer: the text, with keys that ask and steps to undo, and the number of
      answers.
  context_bar: The context bar: how much of the model's window would be sent now, and what would be left
      out.
  context_state: The state of the coming context as a mark: four bars, as many of them filled as it is full.
  new_below: Rows below the text for what is further down: how much, what another program wrote of it, a way
      there.
  note_box: Writing a note: a field above the composer, open until the note is added or left.
  proposal_panel: Proposals of agents above the composer: a row each, accepted or refused one by one or all
      at once.
  source_chips: Chips of the sources that go along with the next generation, in a row that wraps.
  text_pane: Right side: the active path as text under its head, what would be sent in numbers, and the
      composer.
  text_view: The text that is read, a dialogue or a buffer, as commands know it: they ask it, never which
      one it is.
  waiting_question: The question above the composer whether something is to be sent although it is much.
"""
