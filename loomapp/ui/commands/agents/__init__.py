"""Commands about agents, endpoints and models.

Contents:
  asked_models: Asked models: the agents that Generate asks, the cost of that, and the way to their pages.
  endpoints: Endpoints page: endpoints written, keys kept and forgotten, and the test.
  model_file: A model file of one's own: chosen, made an agent, and asked from then on.
  models: Models pages: agents made, changed and put away, lists of models that endpoints have, and usage.
  other_programs: The page of other programs in a window: shown, kept up to date while it is seen, and what
      it asks for.
  proposals: Proposals of agents in a window: shown as rows and as cards, and decided by a click.
"""
