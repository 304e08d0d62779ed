"""Finding widgets by their object names."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject

Kind = TypeVar("Kind", bound=QObject)


def find(parent: QObject, kind: type[Kind], name: str) -> Kind:
    """The one object of this kind and name below a parent; fails with its name if there is none."""
    found = parent.findChild(kind, name)
    assert found is not None, f"no {kind.__name__} named {name}"
    return found
