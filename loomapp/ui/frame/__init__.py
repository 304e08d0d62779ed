"""The parts around the views: header, banner, status bar, the pages in the graph's place, next steps.

Contents:
  header: The one row at the top: mark, menus, history, New, search, the agent that is asked, theme.
  notices: Notices: banners above everything, files under way, next steps, words for screen readers.
  pages: Pages in the graph's place, one at a time, and parts of a window that are made when first wanted.
  status: The status bar: saved when, the tree's size, the model, what streams; a notice while one waits.
"""
