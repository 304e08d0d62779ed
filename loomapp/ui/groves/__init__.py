"""A grove on its way into a window: its file, its lock, its backups.

Contents:
  ask_file: Asking for a grove file: a dialog that stops nothing else and writes over nothing.
  backup_list: The backups of a grove as rows: when each was made, why, and how large it is.
  backup_page: The backups of a grove, and the way from one of them to a new file. No file that is there is
      written.
  page: Page that fills the window while no grove is open: why, calmly, and what can be done about it.
  states: Why a grove could not be opened, or only in part: a title, a sentence, and what can be done about
      it.
  window: A small window while a grove is not open: that it is being opened, why it is not, or its backups.
"""
