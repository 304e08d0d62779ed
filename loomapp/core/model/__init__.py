"""The model: nodes, edges and trees, content, agents, changes, and their hashes.

Contents:
  agent: An agent: a person or a model that authors nodes; how a model is asked, and what each may do.
  bookmarks: Bookmarks of a tree: which nodes are marked, kept up to date change by change.
  caches: Caches kept with a tree, each filled by the module that defines its class. Safe to drop at any
      time.
  change: A Change: every touched row before and after. It moves the tree, is saved, undone, and tells the
      views.
  change_labels: Labels of the steps of the history: the words in the file, and the same as sentences with
      numbers.
  child_index: Child index: the children of nodes that have very many, kept in order while a tree moves.
  content: Content of a node: text, an image, audio, or a mix of blocks.
  content_json: Contents as JSON values in the names of Loom JSON, and back; a node's hash covers them as
      they are here.
  creation_order: The order of creation of a tree's nodes, or of its edges, and lists of keys that are
      sorted by it.
  decompression: Unpacking of gzip with a limit: what is kept packed may come from anywhere, and grow a
      thousandfold.
  entities: Rows: the values that a loom tree consists of, each under a key: nodes, hyperedges, the path
      last read.
  erasure: Emptying: letting go of much in slices. While one thing is freed, every thread waits for it to be
      over.
  hashes: Content hashes and their verification: what can be proved of each node.
  imported_from: Origins: which conversation of another program a tree was imported from, and what it was
      called there.
  local_ids: Short ids of nodes, for people: the end of a ULID, else of the base32 of a hash.
  log_chain: The chain of a change log: digests of its rows and entries, and links that each seal the one
      before.
  node_text: Text of a node: all that it says in a buffer, and what stands for content that is no text.
  overlay: Overlay: a mapping over another one, which keeps to itself what differs from it.
  raw_response: A response kept as it came: what model nodes rest on, saved with the Change that makes them.
  statistics: Size of a tree: its nodes, those pruned, and its branches, kept up to date change by change.
  tree: Loom trees in memory: rows in order of creation, the indexes over them, and walks without recursion.
"""
