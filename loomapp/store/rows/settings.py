"""Settings that are kept in a grove: a JSON value under each name."""

from __future__ import annotations

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert

from loomapp.store import schema


def read_setting(connection: Connection, name: str) -> object:
    """Return a setting, None if it was never set."""
    query = select(schema.settings.c.value).where(schema.settings.c.name == name)
    return connection.execute(query).scalar_one_or_none()


def put_setting(connection: Connection, name: str, value: object) -> None:
    statement = insert(schema.settings)
    statement = statement.on_conflict_do_update(set_={"value": statement.excluded.value})
    connection.execute(statement, {"name": name, "value": value})
