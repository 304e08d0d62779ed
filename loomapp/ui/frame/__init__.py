"""The parts around the views: header, banner, status bar, the pages in the graph's place, next steps.

Contents:
  announcer: Announcements for screen readers: what just became ready, what failed, what was done.
  banner: Banners above everything: what could not be saved, until it is, and what one should know of this
      grove.
  graph_pages: The graph, or one page in its place: the inspector gives way then, and the keyboard finds its
      way back.
  header: The one row at the top: mark, menus, history, New, search, the agent that is asked, theme.
  next_steps: Next steps: what happened in a sentence above the composer, and what can be done about it at a
      press.
  parts: Parts of a window that are made when they are first wanted: pages, and those who fill them.
  status: The status bar: when it was saved, how large the tree is, how the model is, what streams.
"""
