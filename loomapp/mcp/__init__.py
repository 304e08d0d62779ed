"""The MCP server: groves for other agents, by few tools that are listed and results that stay short.

Contents:
  arguments: Arguments of tools as JSON Schema, checked before a call, and errors that a client's model acts
      on.
  calls: Tools by their names: the catalogue, and calls of them: found, checked, carried out, every fault
      told.
  configuration: Configuration of other programs: what is copied into each so that it reaches the server.
  http_server: The server over HTTP, on this computer only: every call shows a key, Host and Origin are
      checked.
  last_heard: Programs that called last, of each grove: when, what for, how much they read and wrote, and
      refusals.
  lists: Lists that stay short, of nodes too: the fields asked for, texts cut, and of many results a
      preview.
  permissions: Permissions of other programs, as the user's settings have them at the moment of a call, and
      their key.
  prompts: Prompts made of the tree as it is, and resources: the context, threads, and each node by its id.
  served_grove: The served grove, opened at the first call, anew where it moved; its position, engine and
      variables.
  server: The server on the SDK's low level: tools lazily listed or all of them, each result as text and as
      JSON.
  stdio: The server on standard input and output, line by line, until its input ends or a signal comes.
  threads: Threads by name: the one that is meant, the one above it, and all of them drawn as a tree.
  updates: Updates: subscribers of both revisions hear that a resource changed, whoever changed the tree.
  tools/: Tools of the MCP server: each with its words, arguments and function.
"""
