"""Opening a grove file: how it may be read, locked and trusted.

Contents:
  file_locks: The locks on an open grove, held a second time, and whether its files and their content are
      still its.
  file_names: Names and place of a grove file: its other names, and the kind of file system that it lies on.
  look: Looking at a file before it is opened: whether it is a grove, of which version, all its own.
  readers: Ways to read a grove without writing it: beside those who do, by itself, or from a private copy.
"""
