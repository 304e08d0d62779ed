"""The model: nodes, edges and trees, content, agents, changes, and their hashes.

Contents:
  agent: An agent: a person or a model that authors nodes; how a model is asked, and its JSON in Loom JSON.
  caches: Caches kept with a tree, the nodes touched since they were filled, and letting go of them in
      slices.
  change: A Change: every touched row before and after, and its label. It moves the tree, is saved and
      undone.
  content: Content of a node, text, an image, audio, or a mix of blocks, and its JSON in the names of Loom
      JSON.
  creation_order: Order of creation: of a tree's nodes and edges, and of the children of nodes that have
      very many.
  economy_settings: Settings of context economy: summaries, compression and thresholds, their defaults in
      one table.
  entities: Entities: the values that a loom tree consists of, each under a key, and the text of a node.
  hashes: Content hashes and their verification: what can be proved of each node.
  local_ids: Short ids of nodes, for people: the end of a ULID, else of the base32 of a hash.
  log_chain: The chain of a change log: digests of its rows and entries, and links that each seal the one
      before.
  new_tree: New trees: the rows that one begins with, and which conversation of another program one comes
      from.
  overlay: Overlay: a mapping of its own changes over another one, of which a sketch of a tree is made.
  raw_response: A response kept as it came, packed: what model nodes rest on, saved with the Change that
      makes them.
  statistics: Statistics of a tree, its nodes, branches and bookmarks, kept up to date change by change.
  tree: Loom trees in memory: rows in order of creation, the indexes over them, and walks without recursion.
"""
