"""The window: its parts, where they stand, and what reaches across them.

Contents:
  display: The display of a window: what happens to the document and its answers is shown in every view.
  grove_opener: A grove on its way into a window: its lock, its file, and what is shown while it is not
      open.
  inspector_fold: Folding the inspector to its tabs: by hand, beside a buffer, and by itself while the
      window is low.
  main_window: The window: builds its parts and wires them; it decides nothing.
  memory: Memory of a window: its place and docks, the tree, and the place in each tree.
  native_events: Events heard at the native window, before any widget: first sight, Tab, Space, held keys,
      side buttons.
  responsive: Arrangement of a window: docks around the graph, tabs where it is narrow, one pane in focus
      mode.
  windows: The windows of this process: one a grove, each with its own lock; the program ends with the last.
"""
