"""Tools of the MCP server: each with its words, arguments and function.

Contents:
  generate_tool: The tool that asks a model, or an agent that sees the tree: progress as it answers, a
      cancel as Stop.
  read_tools: Tools that read nodes: lists of them, paths, searches, and one in full.
  thread_tools: Tools for threads, the named branches of a tree and their summaries, and for what a model
      would be sent.
  tool: A tool: its words, its arguments, and the function that carries out a call of it.
  write_tools: Tools that write nodes and marks, by the very edits that the window and the command line
      make.
"""
