"""The page of the settings, in the place of the graph: one row a setting, and the keys.

Contents:
  heading: The heading of a section of the settings; a line parts it from what stands above.
  key_field: A button that takes the next key that is pressed.
  key_rows: The keys on the settings page: a row an action, with its keys as chips; what is refused says
      why.
  link_row: A row of the settings page that leads to a page of its own.
  page: The settings page: everything in one searchable place, beside a file that people may edit too.
  preset_note: Note below the choice of a preset of keys: what it changes, and which of its keys cannot be
      had.
  rows: Rows of the settings page: what a setting is called, its control, and the way back to its usual
      value.
"""
