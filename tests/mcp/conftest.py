"""The grove that most tests of the server are about."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.store.grove.open import create_grove
from tests.kit.groves import planted
from tests.kit.trees import Hand


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove with a tree of an empty root and three messages."""
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        planted(made, Hand())
    return path
