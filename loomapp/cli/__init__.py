"""The command line: one module a group of commands; opens no window but through loomapp.app.

Contents:
  arguments: Arguments: a parser, shared options, files that they name; every error in one line with its
      exit status.
  chosen_model: The model that is asked: of the grove's agents, of the known endpoints, or of a server that
      was named.
  entry: The way in: finds the command, runs it, and turns every error into one line and an exit status.
  groves: The grove, tree and node that arguments name, and what drafts of it are told.
  import_files: Files and folders that trees come from: the format of each, what is found in it, and the
      report.
  output: Output of the command line: results to stdout, messages and progress to stderr, each a line.
  answers/: Answers that stream to a command line: printed as they come, with Ctrl+C as Stop.
  commands/: The commands: one module each, or one for several that look at the same; entry.py tells which.
"""
