"""Commands: what actions do, and the controllers that join views to the session.

Contents:
  availability: When an action can be used, and when it is checked: questions to a window, asked by the rows
      of ACTIONS.
  dialogue: Dialogue as the text that commands are about: its messages; the next waits while an answer is
      written.
  documents: Documents in a window: their list in step with the tree, the page of one, and what is done with
      them.
  groves: Groves as files: opened, made, restored from backups; those moved or replaced while open are told
      of.
  log: The log in the window: the failed calls of this session in full, and what Loomapp noted, without
      keys.
  navigate: Going through the tree: what the keys and pagers of the Go menu do.
  node_actions: Actions on nodes: plain functions of a workbench, and what a card's menu, tools and plus ask
      for.
  on_demand: Modules that no window begins with: each is loaded when something of it is first wanted.
  palette: Palette in a window: its entries of this tree and of others, what choosing does, and a bookmark's
      label.
  panes: Panes: which are shown, which has the keyboard, one alone on the whole screen.
  preferences: The settings in a window: taken from the file, put to use, changed on their page.
  remedies: Remedies in a window: one click at a message that is left out, a warning, or an error of
      assembly.
  send: Sending a question to models, and what can be done about a draft: retry, stop, dismiss, its key.
  side_bar: Side bar in a window: it shows the document, what is chosen in it is done, and the grove is
      searched.
  spelling: Spelling in a window: wavy lines under words in the buffer and the composer, and what their
      menus offer.
  tags: Tagging in a window: a tag is asked for in the palette, and a menu leads to what carries one.
  agents/: Commands about agents, endpoints and models.
  attach/: Commands that attach nodes, files and images to the coming generation.
  buffer/: Commands and controllers of the buffer.
  graph/: Commands of the graph: folding, branches, following an answer.
  help/: Help: the page of keys, of ways to use the program, of signs, and of where the data is.
  inspector/: Commands of the inspector: context, sources, remedies, what-if.
  save/: Saving: drafts, journal, what the disk did not take, and leaving.
  summaries/: Commands about summaries of a conversation: asking for them, and the card of the one in use.
  trees/: Commands about trees: opened, imported, exported.
"""
