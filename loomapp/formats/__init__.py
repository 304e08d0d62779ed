"""Importers and exporters, one module a format.

Contents:
  completion: Values that a hand-written file may lack, filled in alike each time: root, edge ids, authors,
      hashes.
  conversation: Conversations of other programs: messages with parent pointers, and the tree that is made of
      them.
  details: Loom JSON of a tree besides its nodes and edges: path, inclusions, tags, links, summaries.
  evidence_file: Evidence files: Loom JSON with all responses and a seal, so that any changed byte can be
      named anywhere.
  imported: The result of an import: a tree and all that belongs to it, touching no grove.
  importer: Importers: what a format says of itself, and the trees that it finds in a source.
  json_items: JSON files item by item: the rows of a long list one after the other, never all of them as
      JSON values.
  json_text: JSON text read strictly: every fault is one line that names its place, and nothing is guessed.
  loom_json: Loom JSON 1: one tree in one file, complete, and easy to write by hand.
  loom_json_importer: Loom JSON as an importer: the one tree of a file, read strictly.
  parent_links: Trees from parent pointers: circles and lost parents degrade to extra roots, and nothing
      recurses.
  path_text: One path as a clean document: what a buffer says, verbatim; a conversation with the names of
      who speaks.
  registry: The registry of formats: one entry a format; what is read is recognised by its content.
  responses: Raw responses in Loom JSON: one entry a node; siblings of one exchange share all but two of its
      keys.
  run_drafts: Runs as drafts keep them while they stream: JSON values, and back.
  soundness: Is a tree sound? Damaged ones (a circle, two ways in, a missing end) are refused with the
      place.
  sources: Sources of trees: a file, a zip or a folder, its members read as streams; nothing is unpacked to
      disk.
  zip_members: Members of a zip archive: refused whole if it would lead out of itself, or unpack to more
      than is sound.
  chatgpt/: The ChatGPT data export.
"""
