"""The document that most tests of the session are about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.session.document import Document
from loomapp.store.grove.open import create_grove


@pytest.fixture
def document(tmp_path: Path, qtbot: QtBot) -> Iterator[Document]:
    with create_grove(tmp_path / "g.loom") as grove:
        yield Document(grove)
