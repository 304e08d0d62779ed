"""Opening a grove file: how it may be read, locked and trusted.

Contents:
  file_content: Content of an open grove file: whether a program that is not SQLite has written over it.
  file_locks: The locks on an open grove, held a second time, and whether its files are still those in the
      folder.
  file_systems: On which kind of file system a file lies, and whether it may write at all.
  foreign_schema: Triggers, views, tables and indexes of a grove file that Loomapp did not make: they could
      rewrite it.
  foreign_wal: A -wal that lies beside a file which is not its own: one that was put there after a program
      was killed.
  look: Looking at a file before it is opened: whether it is a grove, of which version, and may be written.
  other_names: Files with several names: under each of them SQLite would keep a -wal of its own, and destroy
      the file.
  readers: Ways to read a grove without writing it: beside those who do, by itself, or from a private copy.
"""
