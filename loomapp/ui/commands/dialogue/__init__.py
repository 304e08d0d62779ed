"""Commands of the dialogue.

Contents:
  messages: Messages of a dialogue, and the composer below them: what is asked for there is done.
  text_view: The dialogue as the text that commands are about: messages, and a composer below them.
"""
