"""What would be sent is assembled in a turn with room, on a long path told in the next; never out of date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import Assembled
from loomapp.core.edits import node_edits
from loomapp.session.background import background_work
from loomapp.session.context import preview
from loomapp.session.context.preview import LONG_PATH, Preview
from loomapp.session.context.what_if import WhatIf
from loomapp.session.document import Document
from loomapp.store.grove.open import create_grove, open_grove
from tests.bench.groves import BRIEF, MODEL, grown


class Told:
    """A preview on a path, and what it told of."""

    def __init__(self, path: Path, length: int = LONG_PATH + 1) -> None:
        with create_grove(path) as grove:
            tree = grown("deep", length, owner_id=grove.owner.id, words=BRIEF)
            grove.add_tree(tree, [grove.owner, MODEL])
        self.document = Document(open_grove(path))
        self.preview = Preview(self.document)
        self.texts: list[str] = []
        self.preview.assembled.connect(self.on_assembled)

    def on_assembled(self, assembled: Assembled) -> None:
        self.texts.append(assembled.messages[-1].text.splitlines()[-1])

    def write(self, text: str) -> None:
        document = self.document
        document.commit(node_edits.add_node(document.tree, document.path_ids[-1], text, document.pen()))

    def close(self) -> None:
        self.preview.deleteLater()
        self.document.deleteLater()
        self.document.grove.close()


@pytest.fixture
def told(tmp_path: Path, qtbot: QtBot) -> Iterator[Told]:
    told = Told(tmp_path / "long.loom")
    yield told
    told.close()


def test_on_a_short_path_too_it_waits_until_the_turn_has_room(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(tmp_path / "short.loom", 3)
    monkeypatch.setattr(background_work, "ROOM_MS", -1.0)  # whatever others take is too long

    told.preview.set_composer_text("How goes it?")
    QCoreApplication.processEvents()
    assert told.texts == []
    qtbot.waitUntil(lambda: bool(told.texts))

    assert told.texts == ["How goes it?"]
    told.close()


def test_views_are_told_in_a_turn_of_their_own(told: Told) -> None:
    told.preview.set_composer_text("How goes it?")

    told.preview.on_turn()
    assert told.texts == []
    assert told.preview.last is None
    told.preview.on_turn()

    assert told.texts == ["How goes it?"]


def test_nothing_is_assembled_before_the_window_is_seen(
    told: Told, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "LATEST_MS", 600_000)
    told.preview.wait_for_sight()
    told.preview.set_composer_text("How goes it?")
    for _ in range(3):
        QCoreApplication.processEvents()
    assert told.preview.last is None

    told.preview.on_seen()

    qtbot.waitUntil(lambda: bool(told.texts))
    assert told.texts == ["How goes it?"]


def test_what_was_assembled_of_another_state_is_not_told(told: Told, qtbot: QtBot) -> None:
    told.preview.refresh()
    told.preview.on_turn()
    told.write("The lamp is out.")
    told.preview.on_turn()
    assert told.texts == []
    told.preview.set_composer_text("Why?")

    qtbot.waitUntil(lambda: bool(told.texts))

    assert told.texts == ["Why?"]


def test_who_asks_between_the_turns_is_told_at_once(told: Told) -> None:
    told.preview.set_composer_text("Now")
    told.preview.on_turn()

    told.preview.settle()

    assert told.texts == ["Now"]
    told.preview.settle()
    assert told.texts == ["Now"]


def test_what_is_tried_follows_in_another_turn_or_when_it_is_asked_for(told: Told) -> None:
    told.preview.refresh_now()
    trying = WhatIf(told.document, told.preview)
    trying.begin()

    told.preview.set_composer_text("And now?")
    told.preview.settle()
    assert [outcome.assembled for outcome in trying.outcomes] != [told.preview.last] * 2
    trying.settle()

    texts = [outcome.assembled.messages[-1].text for outcome in trying.outcomes if outcome.assembled]
    assert [text.splitlines()[-1] for text in texts] == ["And now?", "And now?"]
