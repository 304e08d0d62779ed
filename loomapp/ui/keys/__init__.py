"""Keys of actions, the buttons that say them, and the actions as parts of the window know them.

Contents:
  actions: The actions of a window as its parts know them: by name, with their keys, in menus.
  button: A button for an action: its icon or word, its name, its key in the tip, and whether it can be
      used.
  keys: Keys: presets, the user's own on top, which are refused and why, and which are taken already.
  text_keys: Keys that a text takes for itself: undo and redo, and Enter in its several forms.
"""
