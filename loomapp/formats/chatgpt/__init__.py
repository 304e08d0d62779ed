"""The ChatGPT data export.

Contents:
  assets: Files that a ChatGPT export holds beside its conversations, by the asset id in their names.
  export: The conversations of a ChatGPT export, whole or in parts, each with all of its branches.
  message: One message of a ChatGPT export: its author, its content by kind, and its keys that have no
      place.
"""
