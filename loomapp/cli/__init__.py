"""The command line: one module a group of commands; opens no window but through loomapp.app.

Contents:
  agents: The model that is asked: an agent of the grove, made where there is none yet.
  arguments: Arguments: a parser whose complaints are one line, and the options that several commands share.
  chosen_model: Whom `generate` asks: a model of the known endpoints, or of a server named on the command
      line.
  draft_notes: Draft notes: what a window has written and not saved is in nothing that is read here, and
      that is said.
  entry: The way in: finds the command, runs it, and turns every error into one line and an exit status.
  failures: Errors of the command line itself, and the exit status of every error.
  files: Files that arguments name: read whole, every complaint with the file's name in front.
  groves: The grove, tree and node that arguments name.
  import_files: Files and folders that trees come from: which format each is, and what is found in it.
  import_report: Reports of an import: each tree of each file, before and after it comes in, as text or as
      JSON.
  output: Output of the command line: results to stdout, messages to stderr, each message one line.
  sample_tree: The sample tree that a new grove begins with.
  signals: Signals that end a command: Ctrl+C, a polite kill and a terminal that is closed, all alike.
  signature: The name that the change log gives to whoever changes a tree by the command line.
  terminal_progress: Progress at a terminal while a model is fetched or started: one line that is written
      over.
  answers/: Answers that stream to a command line: journalled, kept when it ends, found again after a kill.
  commands/: The commands: one module each, named as it is typed.
"""
