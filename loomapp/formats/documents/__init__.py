"""Documents: texts, Markdown and Word files; chats in them, recognised by who speaks.

Contents:
  docx_file: Word documents (.docx): a buffer by headings; read part by part, without anything from outside.
  markdown: Markdown: turns by headings that name who speaks, else a buffer by its headings, to the
      character.
  passages: Passages of a document: turns by who speaks, or chapters that together are the text to the
      character.
  plain_text: Plain text in any code page: turns by who speaks, else a buffer by chapters, to the character.
"""
