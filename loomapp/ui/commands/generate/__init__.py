"""Commands around Generate: sending, retrying a failed draft, and the forecast of what would be sent.

Contents:
  draft_acts: Commands about a draft that failed or waits: ask again, stop it, put it away, go to its key.
  remedies: Remedies in a window: one click at a message that is left out, a warning, or an error of
      assembly.
  send: Sending what is asked for; what is too much waits above the composer until the user has decided.
"""
