"""Exporters of what is read or sent: a path, or the whole tree by its branches.

Contents:
  chat_json: Chat JSON: the messages of a path as the APIs of OpenAI and Anthropic take them, exactly as
      assembled.
  export: Exports: a tree with its path and agents, what of it is wanted, and its branches in written order.
  first_lines: The beginning of an export as a preview shows it: some lines, as they are or as they read.
  html_page: HTML: the whole tree as one page that holds all it needs, runs nothing and fetches nothing.
  opml: OPML: the whole tree as an outline, a branch within the node that it continues.
  readable: Plain text and Markdown: a path, or the whole tree with a heading for each branch.
"""
