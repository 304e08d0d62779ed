"""Small shared widgets: marks, chips, pagers, strips and bars.

Contents:
  budget_bar: The budget bar: how full a model's window is, and the room kept for the answer. Always beside
      numbers.
  buttons: Buttons: by words, an icon or a key, the title of a folding section, a few in a row, the sibling
      pager.
  chip: A chip: an icon and a few words in a small frame; the mark of an agent: a letter on its tint.
  clipboard: Words on the clipboard and in a drag, character for character.
  error_strip: A strip above the thing it is about: an icon, one sentence, and the one next step.
  fields: Fields to type in: lines, exact lines, wrapped text; and bars for finding words, with their keys.
  file_dialog: The one file dialog of the program: it lists a folder by names alone and opens no file that
      is in it.
  form: Fields of a settings page: long text, numbers, choices; keys of a field that is edited in its place.
  keyboard: Keyboard focus in a widget's window, where it came from and its return; rest after a key;
      Ctrl+wheel.
  labels: Words, rules and icons on a page, labels of one line, tool tips, and read-only texts of any size.
  layouts: Layouts: a column, a row, a list of rows, parts that flow into the next line, side by side, or
      scroll.
  page: A page in another pane's place, and a popover over the window, and menus; Esc closes each.
  rows: Rows of a page: words beside something to do, names with values, verdicts, work that takes a while.
  spoken: Spoken roles of painted parts, for those who hear the window: a role each, and the words of drawn
      ones.
  words/: Words about the context: outcomes, reasons, adjustments, remedies, verdicts, and icons beside
      them.
"""
