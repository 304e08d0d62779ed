"""The page of agents, endpoints with their keys, and what was used.

Contents:
  agent_form: The form of one agent: name, colour, model, prompt and sampling, each handed on as it is
      typed.
  agents_page: Page of models in the graph's place, its tabs and sides; and the page of agents, a list
      beside a form.
  awareness_box: Box of the agents page for one that sees the tree: what it may do, its limits, and what it
      is told.
  capability_box: Facts known of an agent's model: how a Buffer goes to it, its window, and what it was
      found to refuse.
  endpoint_form: Form of an endpoint and of its key: where it is, how it is spoken to, where its key is
      kept, a test.
  endpoints_page: The page of endpoints and keys: presets and one's own at the left, the chosen one, and
      local models.
  fields: Fields of the agents page: text with an undo of its own, numbers that may be left to the model,
      colours.
  model_field: The model of an agent: an endpoint, and of the models that it tells of one, or any name that
      is typed.
  picker: The agent picker: which models are asked, one or several, and the way to their page.
  usage_page: The page of usage: tokens and money by message, path, tree and day; the prices that it is
      counted by.
"""
