"""The grove that forgers work on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.rich_groves import rich_grove


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grove in which every column holds something."""
    return rich_grove(tmp_path_factory.mktemp("rich") / "grove.loom")
