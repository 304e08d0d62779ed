"""The window: its parts, where they stand, and what reaches across them.

Contents:
  display: The display of a window: what happens to the document and its answers is shown in every view.
  docks: The three docks around the graph: trees on the left, text on the right, the inspector under the
      graph.
  focus_mode: Focus mode: the pane one is in fills the screen; everything else comes back as it was.
  grove_opener: A grove on its way into a window: its lock, its file, and what is shown while it is not
      open.
  inspector_fold: Folding the inspector to its tabs: by hand, beside a buffer, and by itself while the
      window is low.
  long_turns: While a change of very many nodes is saved and shown, the pointer waits and the status bar
      says why.
  main_window: The window: builds its parts and wires them; it decides nothing.
  memory: Memory of a window: its place and docks, the tree, and the place in each tree.
  paint_schedule: When a window on a large tree is painted: in a turn of the event loop after the one that
      changed it.
  responsive: The middle of the window: the graph; in a narrow window graph and text as tabs of one place.
  side_buttons: The side buttons of a mouse: back and forward through what was visited, wherever the pointer
      is.
  tab_order: The order in which Tab goes through the window: pane by pane, as they stand, whenever they were
      made.
  unclaimed_keys: Space on a button that was clicked: a word space, as for letters there; who came by Tab
      presses it.
  views: The views of a window: built, and put in their places.
  windows: The windows of this process: one a grove, each with its own lock; the program ends with the last.
"""
