"""Pure values and functions: trees, edits, context assembly, provenance. No Qt, SQL, SDK, clock or files.

Contents:
  action_table: Table of actions: the name, title, menu and keys of everything a person can do in the
      window.
  dataclass: The decorator `dataclass` of every value here: as that of the standard library, for a twelfth
      of its time.
  errors: Errors a person can act on: what happened, and the next step.
  json_values: JSON values: times as text, and objects read field by field, every complaint with its place.
  progress: Progress of long work, told by whoever does it.
  sentences: Sentences for people that know what they were put together from, so that a window can translate
      them.
  times: Moments in milliseconds since 1970, and their text in ISO 8601.
  tree_json: Rows of a tree as JSON values in the names of Loom JSON, and back; bad input is told by its
      place.
  uncommitted_tree: Uncommitted tree: the tree as it will be once what is written is committed and parted at
      the caret.
  context/: Context assembly: what a model is sent for a node, exactly, and a report of why.
  economy/: Context economy: branch and context summaries, compression of long parts, thresholds. Pure
      functions.
  edits/: Edits: pure functions from a tree to the Change that makes them, and back.
  generation/: Generation: the request of a tree, its events, and the nodes that answers become.
  layout/: Layout: where the cards of a tree stand.
  loom_commands/: Commands of loom-aware agents: their wordings, what each does, and what it answers. Pure
      functions.
  model/: The model: nodes, edges and trees, content, agents, changes, and their hashes.
  outline/: The outline of a tree: its main lines as rows.
  paths/: Paths through a tree: the active path, siblings, versions, sources.
  prose/: Prose: a path as one text, typed in, split, joined, and attributed.
  response_text/: Text of a raw response: read back from its bytes without any SDK, and the rules by which
      nodes take it.
  sent/: Record of the request behind every answer, sending it again, and comparing it with a request of
      today.
  settings/: The user's settings: their values, the kinds of values, and the registry that describes each.
  summarisers/: Summarisers: the summary of a conversation that a model is asked for, from its plan to its
      Change.
  text/: Text by itself: differences, search, words, graphemes, estimated tokens; command lines in an
      answer.
"""
