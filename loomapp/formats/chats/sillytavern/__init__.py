"""Chats and character cards of SillyTavern.

Contents:
  card: Character cards, as JSON or in a PNG: system context, greetings as siblings, example dialogue.
  chat: Chats of SillyTavern: swipes are siblings, and files that begin alike the branches of one tree.
"""
