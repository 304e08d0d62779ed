"""Migrations: older groves brought to the present schema, after a backup."""
