"""A grove on its way into a window: its file, its lock, its backups.

Contents:
  backup_page: The backups of a grove: when each was made and why, and the way from one of them to a new
      file.
  grove_files: Grove files: asked for in a dialog that writes over nothing, or dropped onto a window.
  states: Why a grove could not be opened, or only in part: a title, a sentence, and what can be done about
      it.
  window: The small window while a grove is not open: that it is being opened, or why it is not, with its
      backups.
"""
