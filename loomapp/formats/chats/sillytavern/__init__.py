"""Chats and character cards of SillyTavern.

Contents:
  card: Character cards, as JSON or in a PNG: system context, greetings as siblings, example dialogue.
  chat: Chats of SillyTavern: one file each; those that begin alike are the branches of one tree.
"""
