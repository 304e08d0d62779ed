"""Small shared widgets: marks, chips, pagers, strips and bars.

Contents:
  agent_mark: The mark of an agent: a letter on its tint, or a figure for a person.
  budget_bar: The budget bar: how full a model's window is, and the room kept for the answer. Always beside
      numbers.
  chip: A chip: an icon and a few words in a small frame, for a state or for something attached.
  clipboard: Words on the clipboard and in a drag, character for character.
  elided_label: A label of one line that shortens what it quotes to fit, and the words around it only after
      that.
  error_strip: A strip above the thing it is about: an icon, one sentence, and the one next step.
  exact_line: A line for a text that is sent as it stands: line breaks are written \\n, and what is wrong is
      said.
  file_dialog: The one file dialog of the program: it lists a folder by names alone and opens no file that
      is in it.
  find_bar: Bars for finding words: a field, how many there are, the next and the one before, and their
      keys.
  form: Parts of a settings page: words, long text, numbers, choices.
  key_button: A push button that also says which key does the same.
  keyboard: Keyboard focus in a widget's window, and its return to where it came from.
  left_words: Words left in a one-line editor with Esc: the next one about the same thing opens with them.
  line: A line to type in, whose keys are an input method's while that composes in it.
  page: A page in the graph's place: its ground, its head with a cross, and Esc, which closes it.
  pager: The sibling pager: ‹ 2/3 ›.
  plain_view: A read-only text of any size: shown as plain text up to a limit, with a note where it goes on.
  preedit: Preedit text of an input method: it is drawn in a field, and is no part of its text yet.
  section_head: The title of a section that folds what stands below it.
  short_label: A label of one line that is cut with an ellipsis where it has no room, and asks for none.
  spoken: Spoken roles of painted parts, for those who hear the window: a role each, and the words of drawn
      ones.
  tips: Tool tips of words that may come from anywhere: never read as markup.
  wrapped_field: A text field in which a very long word costs no more than many short ones.
  layouts/: Layouts of widgets: lines that flow, rows of a page, parts side by side, parts that scroll.
  rows/: Rows of several parts: a value that may be inherited, and work that goes on.
  words/: Words about the context: outcomes, reasons, adjustments, remedies, verdicts, and icons beside
      them.
"""
