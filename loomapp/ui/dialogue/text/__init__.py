"""The text of messages: safe documents, Markdown, code."""
