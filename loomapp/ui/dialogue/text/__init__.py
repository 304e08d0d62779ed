"""The text of messages: safe documents, Markdown, code.

Contents:
  code_blocks: The code in a body: its grounds, its colours, a button to copy each block, and bars to scroll
      wide ones.
  code_colours: Code in the colours of its syntax: read in slices while the window is idle, and never
      guessed.
  document_cache: Documents of messages, the ones used last kept ready.
  find: Finding words in the messages of a path, also in those that were never on the screen.
  markdown: Markdown as people and models write it, made ready for Qt so that no text goes missing on the
      screen.
  safe_document: The one class for foreign text on the screen: it fetches nothing, runs nothing and opens
      nothing.
  selection: Selection in a path: from a position in one row to a position in another one.
  span: A span of a shown document, in the positions that Qt counts.
"""
