"""The export panel: what goes out of a tree, in which format, and how that begins.

Contents:
  formats: Formats of the export panel: names, purposes, what each can hold and what of it can be chosen.
  panel: The export panel: what of the tree goes out, as what, with what, and how that begins.
"""
