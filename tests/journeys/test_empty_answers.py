"""An answer that ends well without a word is told on its card, with the next step.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QPushButton, QSpinBox
from pytestqt.qtbot import QtBot

from loomapp.providers import registry
from loomapp.session.window_state import read_left
from loomapp.store.grove.open import create_grove
from tests.journeys.growing import grown
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.servers.fake_server import DONE, FakeServer, Script, chunk, says, usage
from tests.kit.windows import open_window
from tests.session.programs import ask_server

Asked = Callable[[Script, int], tuple[str, int]]


@pytest.fixture
def asked(tmp_path: Path, qtbot: QtBot, pointer: Pointer, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Presses Generate against a scripted server; what the window says then, and how many nodes came."""
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    return partial(ask, tmp_path / "g.loom", qtbot, pointer)


def ask(path: Path, qtbot: QtBot, pointer: Pointer, script: Script, count: int) -> tuple[str, int]:
    with FakeServer(script) as server, create_grove(path) as grove:
        ask_server(grove, server.url)
        before = len(grown(grove).tree.nodes)
        with open_window(path, qtbot) as window:
            find(window.composer, QSpinBox, "continuationCount").setValue(count)
            pointer.click(find(window.composer, QPushButton, "generateButton"))
            qtbot.waitUntil(lambda: bool(server.received) and not window.generator.is_streaming())
            [card] = window.generator.cards(window.document.tree.loom.id)[:1]
            assert card.draft.error is not None
            came = len(window.document.tree.nodes) - before
            window.generator.retry(card.key)
            qtbot.waitUntil(lambda: len(server.received) == 2 and not window.generator.is_streaming())
            return str(card.draft.error), came


def test_an_answer_without_a_word_is_told_on_its_card_and_asked_for_again(asked: Asked) -> None:
    said, came = asked(says(chunk(reason="stop"), usage(7, 0), DONE), 1)

    assert "without a word: nothing was added" in said
    assert "Retry" in said
    assert came == 0


@pytest.mark.slow
def test_an_answer_that_spent_its_tokens_without_a_word_says_where_to_give_it_more(asked: Asked) -> None:
    said, came = asked(says(chunk(reason="length"), usage(7, 9), DONE), 1)

    assert "used all of its tokens" in said
    assert "Agents page" in said
    assert came == 0


@pytest.mark.slow
def test_the_number_of_answers_asked_for_is_remembered_at_once(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        grown(grove)

    with open_window(path, qtbot) as window:
        find(window.composer, QSpinBox, "continuationCount").setValue(1)
        assert read_left(path).continuations == 1  # a kill would come too late

    with open_window(path, qtbot) as window:
        assert window.composer.count == 1
        window.composer.set_count(window.preferences.settings.continuations)
        assert read_left(path).continuations == 0
