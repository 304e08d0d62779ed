"""The grove file and everything else on disk; the only place with SQL.

Contents:
  connections: Connections to a grove file: pragmas, transactions, journal mode, and faults told so that one
      can act.
  identity: New ids and the time: ULIDs that rise within a process, and milliseconds since 1970.
  migrations: Bringing older groves up to date: a backup, then each step in one transaction.
  schema: The tables of a grove file, version 4. Rows are known by an integer; tree and text id are their
      name.
  schema_versions: The tables of older grove files: which of them a version has, and how they are read as
      those of today.
  soundness: Soundness of a grove file: SQLite's own check, its foreign keys, hashes, and whether its schema
      is lost.
  statements: Core statements compiled once and run on the driver: what every commit does, at a tenth of the
      cost.
  steps: Steps of a tree in the file: one is saved, the newest are taken back or brought back.
  backups/: Backups of a grove: made, listed, restored, thinned out.
  checks/: Checks: hashes, responses, the chain of the log, and the soundness of a file.
  files/: Files beside the grove: drafts, media, settings.
  grove/: The open grove: opened, read, moved by Changes, and kept where another program takes its file
      away.
  opening/: Opening a grove file: how it may be read, locked and trusted.
  queries/: Queries of an open grove: search, the steps of a tree, and what models used.
  rows/: Rows: what the database holds, as values, and back.
  salvage/: Salvage: what can be read of a damaged grove, in a new file.
"""
