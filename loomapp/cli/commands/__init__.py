"""The commands: one module each, or one for several that look at the same; entry.py tells which.

Contents:
  assemble: `loomapp assemble`: the context of a node as JSON, from a Loom JSON file or a tree of a grove.
  backup: `loomapp backup` and `loomapp mirror`: a proved copy of the grove, and its trees as files in a
      folder.
  context: `loomapp context`: the assembled context of a tree as text, with its footer, for reading.
  demo: `loomapp demo`: the main job without a screen, on the sample grove: three continuations and a
      picture.
  doctor: `loomapp doctor`: versions, libraries, display, engine, model, grove, folders: one paste for a
      report.
  edit: `loomapp tree new` and `loomapp node add`: small edits for scripts.
  export: `loomapp export`: a tree in a file format, on stdout.
  generate: `loomapp generate`: continues a node with a model, and adds what it wrote to the tree.
  import_trees: `loomapp import`: trees from files of many formats into a grove; nothing before all files
      could be read.
  keys: `loomapp keys`: every action of the window with its menu and keys.
  mcp: `loomapp mcp`: the MCP server, through which other agents read and write a grove.
  model: `loomapp model list|fetch|add|remove`: the files of local models.
  show: `loomapp trees`, `show`, `search` and `stats`: what is in a grove, and what its branch summaries
      saved.
  summarise: `loomapp summarise`: asks a model for the summary of a conversation up to a node, and saves it.
  verify: `loomapp verify` and `loomapp check`: all that can be proved of a grove, what is wrong, what is
      saved.
  window: The window: looks at the file and at the screen before Qt is loaded, which would abort.
"""
