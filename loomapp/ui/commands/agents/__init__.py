"""Commands about agents, endpoints and models.

Contents:
  asked_models: Asked models: agents and model files that Generate asks, the cost of that, and the way to
      their pages.
  endpoints: Endpoints of one's own on their page: written and dropped, their keys kept and forgotten, and
      the test.
  models: Models pages: agents made, changed and put away, lists of models that endpoints have, and usage.
  other_programs: The page of other programs in a window: shown, kept up to date while it is seen, and what
      it asks for.
  proposals: Proposals of agents in a window: shown as rows and as cards, and decided by a click.
"""
