"""Keys of actions, the buttons that say them, and the actions as parts of the window know them.

Contents:
  actions: The actions of a window as its parts know them: by name, with their keys, in menus, and as
      buttons.
  keys: Keys: presets, the user's own on top, which are refused and why, and which a text takes for itself.
"""
