"""Importers and exporters, one module a format.

Contents:
  conversation: Conversations of other programs: messages with parent pointers, and the tree that is made of
      them.
  details: Loom JSON besides nodes and edges: path, inclusions, tags, links, summaries, memories, raw
      responses.
  evidence_file: Evidence files: Loom JSON with all responses and a seal, so that any changed byte can be
      named anywhere.
  foreign_blocks: Blocks of other programs' messages: texts, thoughts, tools, and files that are there or
      only named.
  foreign_files: Files of other programs: members that hold conversations of one kind, read one conversation
      at a time.
  foreign_json: JSON of other programs: whole values however deep, lines, and samples to recognise a file
      by.
  foreign_values: Values of other programs' files, read leniently: texts, times, objects, and what is kept
      of the rest.
  importer: Importers: what a format says of itself, the trees that it finds in a source, and what each
      brings.
  json_text: JSON text read strictly, every fault named by its place, and files of it item by item.
  jsonl: JSONL: a tree as Loom JSON has it, one node a line, for programs that read line by line.
  lenient_json: JSON of other programs, taken as it is: however deep, in parts, and with ids that several
      things share.
  links: Links between the messages of a file: by parent ids, in a row, or with alternatives beside each.
  loom_json: Loom JSON 1: one tree in one file, complete, and easy to write by hand.
  loom_json_importer: Loom JSON as an importer: the one tree of a file, read strictly.
  registry: The registry of formats: one entry a format, recognised by its content; and files known but not
      read.
  run_drafts: Runs as drafts keep them while they stream: JSON values, and back.
  soundness: Trees as files give them: what they may lack is filled in, damage is refused with its place.
  sources: Sources of trees: a file, a zip or a folder, its members read as streams; nothing is unpacked.
  chatgpt/: The ChatGPT data export.
  chats/: Chats of other programs, each with all of its branches.
  documents/: Documents: texts, Markdown and Word files; chats in them, recognised by who speaks.
  exports/: Exporters of what is read or sent: a path, or the whole tree by its branches.
  looms/: Trees of other looms and writing programs.
"""
