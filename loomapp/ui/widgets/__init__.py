"""Small shared widgets: marks, chips, pagers, strips and bars.

Contents:
  agent_mark: The mark of an agent: a letter on its tint, or a figure for a person.
  budget_bar: The budget bar: how full a model's window is, and the room kept for the answer. Always beside
      numbers.
  buttons: Buttons: by words, by an icon, one that says its key, and the title of a section that folds.
  chip: A chip: an icon and a few words in a small frame, for a state, something attached, or to be opened.
  clipboard: Words on the clipboard and in a drag, character for character.
  error_strip: A strip above the thing it is about: an icon, one sentence, and the one next step.
  fields: Fields to type in: lines, exact lines, wrapped text; keys are an input method's while it composes.
  file_dialog: The one file dialog of the program: it lists a folder by names alone and opens no file that
      is in it.
  find_bar: Bars for finding words: a field, how many there are, the next and the one before, and their
      keys.
  form: Fields of a settings page: long text, numbers, choices.
  keyboard: Keyboard focus in a widget's window, and its return to where it came from.
  labels: Words, rules and icons on a page, labels of one line that shorten what they show, and tool tips.
  layouts: Layouts: a column, a row, parts that flow into the next line, stand side by side, or scroll.
  page: A page in another pane's place: its ground, its head with a cross, and Esc, which closes it.
  pager: The sibling pager: ‹ 2/3 ›.
  plain_view: A read-only text of any size: shown as plain text up to a limit, with a note where it goes on.
  popover: Popover: a frame with round corners that opens over the window; Esc or a click beside it shuts
      it.
  rows: Rows of a page: words beside something to do, values that may be inherited, work that takes a while.
  save_keys: Keys of a field that is edited in its place: Ctrl+Enter keeps what was written, Esc puts the
      field away.
  segments: Segments: a few choices beside each other, of which one holds.
  shortened_popover: Popover of a chip that says that something is sent shortened: why, how much of it, and
      what exactly.
  spoken: Spoken roles of painted parts, for those who hear the window: a role each, and the words of drawn
      ones.
  wheel: Ctrl+wheel over a text: steps by which it is to grow or shrink.
  words/: Words about the context: outcomes, reasons, adjustments, remedies, verdicts, and icons beside
      them.
"""
