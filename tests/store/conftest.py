"""A grove on disk for each test of the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the grove of a test lies."""
    return tmp_path / "grove.loom"


@pytest.fixture
def grove(path: Path) -> Iterator[Grove]:
    """A new grove, closed after the test."""
    with create_grove(path) as grove:
        yield grove
