"""Widgets: they show state and call commands.

Contents:
  figures: Numbers, times and dates as the reader's country writes them.
  keys: Keys: presets, the user's own on top, those refused and why; actions by name, as buttons show them.
  strings: Translation of user-visible text into the user's language, outside of QObject methods.
  workbench: The workbench: all that a command may touch of a window, and the few verbs the window has for
      it.
  actions/: Actions a person can choose, one table a menu: their names, commands, keys and when they are
      enabled.
  agents/: The page of agents, endpoints with their keys, and what was used.
  buffer/: The buffer editor: the active path as one continuous text that a person and models write
      together.
  commands/: Commands: what actions do, and the controllers that join views to the session.
  composer/: Under the text: the composer, what would be sent in numbers, notes.
  dialogue/: The dialogue view: the active path as messages, or as one document.
  first_page/: The page of an empty tree.
  frame/: The parts around the views: header, banner, status bar, the pages in the graph's place, next
      steps.
  graph/: The graph: one canvas on which a loom tree is read, walked and branched.
  groves/: A grove on its way into a window: its file, its lock, its backups.
  imports/: The import page: what is in a file, which trees of it come in, and what came of it.
  inspector/: The inspector: what would be sent, what is known of a node, the history of the tree; answers
      compared.
  look/: Look of everything: themes, their colours by role, style sheet, icons.
  media/: Images and text files: read beside the window, kept by what they hold, shown small.
  palette/: The command palette: every action, and the trees, bookmarks and texts of the whole grove.
  settings/: The page of the settings, in the place of the graph: one row a setting, and the keys.
  side_bar/: The side bar: its sections, the outline of the open tree, bookmarks, tags, search in the whole
      grove.
  trees/: Trees of the grove: the list, a tree's settings, trees in and out of files.
  unsaved/: Words that are in no node yet: begun edits and notes, what the file did not take, what was left
      over.
  widgets/: Small shared widgets: marks, chips, pagers, strips and bars.
  window/: The window: its parts, where they stand, and what reaches across them.
"""
