"""The page of the settings, in the place of the graph: one row a setting, and the keys.

Contents:
  connect_box: The box of configurations to copy, a tab for each program, with the place that each belongs
      into.
  heard_list: The list of programs that called last: when each was heard, what it did, and what was refused.
  http_key_row: Row of the key that calls over HTTP show: hidden until it is wanted, and made anew.
  key_rows: Keys on the settings page: a row an action with its keys as chips, and what a preset of keys
      changes.
  mcp_page: The page of other programs: what they may do here, how they are connected, and who was heard
      last.
  page: The settings page: everything in one searchable place, beside a file that people may edit too.
  rows: Rows of the settings page: headings, settings with their usual value, and links to other pages.
"""
