"""Generation: the request of a tree, its events, and the nodes that answers become.

Contents:
  agent_presets: Agents as a person makes them: a registry of presets, and custom parameters as they are
      written.
  answers: Answers that have ended: drafts with text become nodes, all of one request in one Change.
  assemble_request: From a tree and an agent to the request that is sent: one way for preview, window and
      command line.
  cost: Cost of models: prices that a user gives, what asking will cost, and what exchanges have cost.
  crashed_run: Answers whose process ended, or whose source is gone: where they hang, and the Change that
      keeps them.
  drafts: Drafts: choices of a model's answer while they stream, and how they grow with its events.
  events: Events that a model streams while it answers, and the one protocol of those who stream them.
  request: Request of one model call, and the errors that a model's provider answers it with.
  retry: Retry by a person: what is asked again for a node, beside it or below it, or why nothing can be.
  run_progress: Progress of a loom-aware agent's run, as people see it while it goes on.
"""
