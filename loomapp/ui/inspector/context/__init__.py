"""The context that would be sent, as rows and as JSON.

Contents:
  context_list: The list of what would be sent: click or Enter goes to a node, X leaves it out or takes it
      in again.
  error: Why no context can be assembled: what happened, the numbers, what helps at one click, the largest
      nodes.
  find: Finding words in the inspector: in the rows of a context, or in its raw form.
  raw_page: The raw form of a context: the request as the provider gets it, and what assembling it told.
  row_painter: Painter of the rows of a context preview: author bar, name, chip, text, reason and tokens in
      columns.
  row_text: Text in rows that are drawn: lines that are cut off, their number, and chips.
  rows: Rows of the context preview: an assembled context in reading order, with what is left out in place.
  summary: The numbers of a context: how much is sent of how much, whose, the budget bar, and the rest.
  table: The rows of a context as an item model: shown anew without losing the place.
  token_shares: The page that tells where the tokens go: a bar a stage, by author, kind or message, and what
      was saved.
"""
