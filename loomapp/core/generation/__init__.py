"""Generation: the request of a tree, its events, and the nodes that answers become.

Contents:
  agent_presets: Agents as a person makes them: a registry of presets, and custom parameters as they are
      written.
  answers: Answers that ended, or whose process did: drafts with text become nodes, all of one request in a
      Change.
  assemble_request: From a tree and an agent to the request that is sent, also where a node is asked for
      again.
  cost: Cost of models: prices that a user gives, what asking will cost, and what exchanges have cost.
  drafts: Drafts: choices of a model's answer while they stream, how they grow, and how far an agent's run
      is.
  provider: A model's provider: the request of one call, the events that are streamed for it, and its
      errors.
"""
