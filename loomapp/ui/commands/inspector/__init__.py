"""Commands of the inspector: context, sources, remedies, what-if.

Contents:
  comparison: Comparing in a window: the selected messages side by side, their differing words found on a
      thread.
  context: Context inspector in a window: the coming context, that of each strategy, and contexts of the
      past.
  forecast: Forecast of a request: what would be sent, and what becomes of each message, in every view.
  history: History in a window: points gone to and named; and the request of a node, looked up in its past.
  memory: Memory of agents in a window: shown beside the node that is read, and changed by the user as by a
      run.
  shortened: Chips of what was shortened in a context, on messages, cards and rows, and their popover.
  sources: Sources panel in a window: edges as they are, the coming one as it is wished.
  summaries: Summaries in a window: the chain of branches up to the current node, shown, written and kept.
  what_if: Contexts of what-if: trying others in a window, generating with them, and making one of them
      permanent.
"""
