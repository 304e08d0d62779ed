"""Small shared widgets: marks, chips, pagers, strips and bars.

Contents:
  budget_bar: The budget bar: how full a model's window is, and the room kept for the answer. Always beside
      numbers.
  buttons: Buttons: by words, by an icon, with a key, the title of a folding section, and a few in a row.
  chip: A chip: an icon and a few words in a small frame; the mark of an agent: a letter on its tint.
  clipboard: Words on the clipboard and in a drag, character for character.
  error_strip: A strip above the thing it is about: an icon, one sentence, and the one next step.
  fields: Fields to type in: lines, exact lines, wrapped text; keys are an input method's while it composes.
  file_dialog: The one file dialog of the program: it lists a folder by names alone and opens no file that
      is in it.
  find_bar: Bars for finding words: a field, how many there are, the next and the one before, and their
      keys.
  form: Fields of a settings page: long text, numbers, choices; keys of a field that is edited in its place.
  keyboard: Keyboard focus in a widget's window, and its return to where it came from.
  labels: Words, rules and icons on a page, labels of one line that shorten what they show, and tool tips.
  layouts: Layouts: a column, a row, parts that flow into the next line, stand side by side, or scroll.
  page: A page in another pane's place, and a popover over the window, and menus; Esc closes each.
  pager: The sibling pager: ‹ 2/3 ›.
  plain_view: A read-only text of any size: shown as plain text up to a limit, with a note where it goes on.
  rows: Rows of a page: words beside something to do, values that may be inherited, work that takes a while.
  spoken: Spoken roles of painted parts, for those who hear the window: a role each, and the words of drawn
      ones.
  wheel: Ctrl+wheel over a text: steps by which it is to grow or shrink.
  words/: Words about the context: outcomes, reasons, adjustments, remedies, verdicts, and icons beside
      them.
"""
