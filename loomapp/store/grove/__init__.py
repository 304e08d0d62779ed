"""The open grove: opened, read, moved by Changes, and kept where another program takes its file away.

Contents:
  due_backup: When a backup is due: every ten minutes if something changed, and on closing.
  grove: The grove: one open file of loom trees, read, and moved by Changes that other programs hear of.
  grove_file: The file of an open grove: its transactions and locks, and what is kept where it is taken
      away.
  model_agents: The agents that stand for models: found by what they ask, made when a model is asked for the
      first time.
  open: Opening a grove: made anew, whole or not at all, for reading and writing, or for reading only.
  other_files: Other files of a grove's own: what they hold, drafts under another name, trees of a backup to
      keep.
  trees_in_memory: Trees in memory, read beside the window if need be, and kept in step with what others
      write in the file.
"""
