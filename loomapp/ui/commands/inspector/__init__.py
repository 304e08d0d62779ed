"""Commands of the inspector: context, sources, remedies, what-if.

Contents:
  comparison: Comparing in a window: the selected messages side by side, their differing words found on a
      thread.
  context: Context inspector in a window: the coming context, that of each strategy, and contexts of the
      past.
  forecast: The forecast: what would be sent, and what becomes of each message, in every view of a window.
  history: History in a window: go to a point, stop on the way, name it, bring the list forward.
  in_turns: Work in turns: what takes the window's thread too long at once goes on step by step, as events
      allow.
  known_outcomes: Known fates: those shown last on cards and messages, so that a key in the composer paints
      none anew.
  past_lookup: Lookup of a node's request, put together from its response and from the tree as it is.
  sources: Sources panel in a window: edges as they are, the coming one as it is wished.
  what_if: Contexts of what-if: trying others in a window, generating with them, and making one of them
      permanent.
"""
