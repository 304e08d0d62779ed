"""The page of the settings, in the place of the graph: one row a setting, and the keys.

Contents:
  key_rows: Keys on the settings page: a row an action with its keys as chips, and what a preset of keys
      changes.
  mcp_page: The page of other programs: what they may do here, how they are connected, and who was heard
      last.
  page: The settings page: everything in one searchable place, beside a file that people may edit too.
  rows: Rows of the settings page: headings, settings with their usual value, and links to other pages.
  rows_in_view: Rows of a long page that are made where one looks, and go again.
"""
