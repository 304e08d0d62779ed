"""The context that would be sent, as rows and as JSON.

Contents:
  context_list: The list of what would be sent: click or Enter goes to a node, X leaves it out or takes it
      in again.
  error: Why no context can be assembled: what happened, the numbers, what helps at one click, the largest
      nodes.
  raw_page: The raw form of a context: the request as the provider gets it, and what assembling it told.
  row_painter: Painter of the rows of a context preview: author bar, name, chip, text, reason and tokens in
      columns.
  rows: Rows of the context preview: an assembled context in reading order, with what is left out in place.
  summary: The numbers of a context: how much is sent of how much, whose, the budget bar, and the rest.
  table: Rows of a context as an item model, shown anew without losing the place, and the text of each.
  token_shares: The page that tells where the tokens go: a bar a stage, by author, kind or message, and what
      was saved.
"""
