"""Commands of loom-aware agents: their wordings, what each does, and what it answers. Pure functions.

Contents:
  looks: Commands that look: a node with its header, what is connected with it, the tree, and moving about
      in it.
  memories: Commands of memory and documents: pin, stash, recall, drop, show; read and write documents.
  registry: Registry of commands: names, wordings, permissions and what each does; from a line to what comes
      of it.
  results: Results of commands: what a command came to, the errors it can end with, and how both are told.
  trace: Trace of a run: what an agent said and did before its answer, kept with its node and never sent.
  words: Words of a command line, read one after the other, and the standpoint from which they are meant.
  writes: Commands that write: an answer, a note, a link, an edit, marks; and asking for continuations.
"""
