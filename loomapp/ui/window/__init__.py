"""The window: its parts, where they stand, and what reaches across them.

Contents:
  display: The display of a window: what happens to the document and its answers is shown in every view.
  focus_mode: Focus mode: the pane one is in fills the screen; everything else comes back as it was.
  grove_opener: A grove on its way into a window: its lock, its file, and what is shown while it is not
      open.
  inspector_fold: Folding the inspector to its tabs: by hand, beside a buffer, and by itself while the
      window is low.
  main_window: The window: builds its parts and wires them; it decides nothing.
  memory: Memory of a window: its place and docks, the tree, and the place in each tree.
  native_events: Events heard at the native window, before any widget: Tab, with the order it goes in, and
      side buttons.
  responsive: Arrangement of a window: three docks around the graph; where it is narrow, tabs of graph and
      text.
  unclaimed_keys: Space on a button that was clicked: a word space, as for letters there; who came by Tab
      presses it.
  views: The views of a window: built, and put in their places.
  wait_notice: Notice, and a waiting pointer, while a change of very many nodes keeps the window still.
  windows: The windows of this process: one a grove, each with its own lock; the program ends with the last.
"""
