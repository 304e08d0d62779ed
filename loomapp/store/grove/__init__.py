"""The open grove: opened, read, moved by Changes, and kept where another program takes its file away.

Contents:
  create: Making a new grove file, whole or not at all.
  drafts_elsewhere: Drafts of a grove's trees that lie under another name, as it was renamed, moved or
      replaced since then.
  due_backup: When a backup is due: every ten minutes if something changed, and on closing.
  grove: The grove: one open file of loom trees, read, and moved by Changes that other programs hear of.
  grove_file: The file of an open grove: its transactions and locks, and what is kept where it is taken
      away.
  kept_trees: Trees of a backup with all that they rest on, to be added to what another program wrote
      meanwhile.
  model_agents: The agents that stand for models: found by what they ask, made when a model is asked for the
      first time.
  open: Opening a grove: made anew, for reading and writing, or for reading only.
  orphan: A grove whose file or -wal was taken away while it was open: what it holds is kept and written
      again.
  other_files: Questions to another grove's file: its trees, and whether it has all steps of a second one.
  tree_reader: A tree read beside the window, on a connection of its own: any thread may do it.
  trees_in_memory: Trees in memory, kept in step with the file of their grove: committed to, undone, redone
      and caught up.
"""
