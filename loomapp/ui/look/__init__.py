"""Look of everything: themes, their colours by role, style sheet, icons.

Contents:
  icons: Icons: Lucide drawings in the colour of a role, sharp at every device pixel ratio.
  layout_memory: Places of the last window, for one on a grove that had none yet; and the few looks all
      windows share.
  stylesheet: The style sheet of standard widgets, built from roles: menus, buttons, fields, tabs, lists,
      scroll bars.
  theme: The theme: dark, light or the system's, its palette, style sheet, fonts, icons, and each agent's
      tint.
  tokens: Theme tokens: colours by role, sizes and type, read from the theme file, and which theme is shown
      now.
"""
