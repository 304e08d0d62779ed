"""The parts around the views: header, banner, status bar, the pages in the graph's place, next steps.

Contents:
  files_under_way: Files on their way into a window or out of it: the banner tells of them, and closing
      waits for them.
  header: The one row at the top: mark, menus, history, New, search, the agent that is asked, theme.
  notices: Notices: banners above everything, next steps above the composer, announcements for screen
      readers.
  pages: Pages in the graph's place, one at a time, and parts of a window that are made when first wanted.
  status: The status bar: when it was saved, how large the tree is, how the model is, what streams.
"""
