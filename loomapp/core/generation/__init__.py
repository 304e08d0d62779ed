"""Generation: the request of a tree, its events, and the nodes that answers become.

Contents:
  agent_presets: The registry of agent presets: a few honest beginnings, each changed freely once it is
      made.
  answers: Answers that have ended: drafts with text become nodes, all of one request in one Change.
  assemble_request: From a tree and an agent to the request that is sent: one way for preview, window and
      command line.
  cost: Estimate of the cost of asking, told before it is asked: calls, tokens, and money if prices are
      known.
  crashed_run: A crashed run: an answer whose process ended before it could be saved, and the Change that
      keeps it.
  custom_parameters: Custom parameters as a person writes them: a JSON object, and stop sequences a line
      each.
  drafts: Drafts: choices of a model's answer while they stream, and how they grow with its events.
  events: Events that a model streams while it answers, and the one protocol of those who stream them.
  gone_sources: Gone sources: where an answer goes whose node was taken back, or made anew, while it was
      written.
  prices: Prices of models: what a user says a million tokens costs, and what that makes of counted tokens.
  request: Request of one model call, and the errors that a model's provider answers it with.
  retry: Retry by a person: what is asked again for a node, beside it or below it, or why nothing can be.
  usage: Usage: what exchanges counted, summed, with what it cost and what caches saved.
"""
