"""Commands about agents, endpoints and models.

Contents:
  asked_models: Asked models: the agents that Generate asks, the cost of that, and the way to their pages.
  endpoints: Endpoints page: endpoints written, keys kept and forgotten, and the test.
  model_lists: Lists of models on the page of agents: asked of endpoints on a thread, each with its age.
  models: Models page: agents made, changed and put away, and the models that there are.
  usage: Usage page: counted on a thread of its own, with prices that are kept.
"""
