"""Actions a person can choose, one table a menu: their names, commands, keys and when they are enabled.

Contents:
  action: One action: what it does and when it can be done; its title, menu and keys are in the core's
      table.
  action_set: The QActions of one window, made from the registry, and the menus they stand in.
  edit_menu: Actions of the Edit menu: undo, copy, find, and files that go along.
  file_menu: Actions of the File menu: new trees, the pages of settings, groves, import and export.
  generate_menu: Actions of the Generate menu: ask models, fill in, try another context, stop.
  go_menu: Actions of the Go menu: from node to node, along the path, the siblings, the versions and the
      cards.
  help_menu: Actions of the Help menu: the keys, the log, and about the program.
  node_menu: Actions of the Node menu: edit, mark, attach, split, move and prune a node.
  registry: Every action of a window, in the order of the menus.
  view_menu: Actions of the View menu: the canvas, the panes, and what they show.
"""
