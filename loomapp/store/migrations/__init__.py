"""Migrations: older groves brought to the present schema, after a backup.

Contents:
  first_seals: The first seal of each node counts for ever: what a later row of the log says otherwise.
  migrate: Bringing older groves up to date: a backup, then each step in one transaction.
  version_2: Version 2 of a grove file: its change log becomes a chain, and agents and settings are sealed
      in it.
"""
