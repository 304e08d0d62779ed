"""Actions a person can choose, one table a menu: their names, commands, keys and when they are enabled.

Contents:
  action: One action: what it does and when it can be done; its title, menu and keys are in the core's
      table.
  action_set: The QActions of one window, made from the registry, and the menus they stand in.
  registry: Every action of a window, in the order of the menus.
"""
