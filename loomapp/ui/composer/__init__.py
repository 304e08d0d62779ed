"""Under the text: the composer, what would be sent in numbers, notes.

Contents:
  composer: The composer: what is said next, how many answers are wanted, Generate and Stop.
  composer_field: The field of the composer: plain text, with keys that ask for answers, and none for an
      undo of its own.
  context_bar: The context bar: how much of the model's window would be sent now, and what would be left
      out.
  count_box: Number of answers to ask for; letters typed there are left to where one writes.
  note_box: Writing a note: a field above the composer, open until the note is added or left.
  source_chips: Chips of the sources that go along with the next generation, in a row that wraps.
  text_head: The head of the text: what is read, and buttons for what is done with the whole of it.
  text_pane: The right side: the active path as text, what would be sent in numbers, and the composer.
  text_view: The text that is read, a dialogue or a buffer, as commands know it: they ask it, never which
      one it is.
  typing_history: Typing as a few undoable steps: what was written together is taken back together.
  waiting_question: The question above the composer whether something is to be sent although it is much.
"""
