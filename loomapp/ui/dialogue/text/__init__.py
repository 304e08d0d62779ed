"""The text of messages: safe documents, Markdown, code.

Contents:
  code: Code in a body: its grounds, its colours read in slices while idle, buttons to copy, bars to scroll
      it.
  markdown: Markdown as people and models write it, made ready for Qt so that no text goes missing on the
      screen.
  node_links: Links to nodes of the tree where an agent that sees it names them: by short ids, documents by
      names.
  safe_document: The one class for foreign text on the screen: it fetches nothing, runs nothing and opens
      nothing.
"""
