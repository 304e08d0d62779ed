"""Loomapp: a desktop editor for loom trees.

Contents:
  __main__: The command: `loomapp`, also `python -m loomapp`.
  app: The window's composition root: the only module that knows every part.
  files: Files: only regular ones are read, those that SQLite has open are known, others are written whole.
  logs: The log: a rotating file in the user's state folder, without keys and without a word that anybody
      wrote.
  mirror_folder: The mirror of a grove: a folder in which each tree stands as Markdown and as Loom JSON,
      never read back.
  places: Places of files: the bundled resources, and the user's folders.
  preflight: Needs of a window from the system, looked at before Qt is loaded, which would abort.
  temporary: Temporary folders of our own: held while their process lives, swept by another once it was
      killed.
  cli/: The command line: one module a group of commands; opens no window but through loomapp.app.
  core/: Pure values and functions: trees, edits, context assembly, provenance. No Qt, SQL, SDK, clock or
      files.
  formats/: Importers and exporters, one module a format.
  mcp/: The MCP server: groves for other agents, by few tools that are listed and results that stay short.
  providers/: Language models behind one protocol; the only place with vendor SDKs.
  runs/: Asking with no window: answers streamed, journalled and kept, and runs of agents that see the tree.
      No Qt.
  session/: The living state of an open grove, and the settings and spelling beside it; QtCore only.
  store/: The grove file and everything else on disk; the only place with SQL.
  ui/: Widgets: they show state and call commands.
"""

__version__ = "0.1.0"
