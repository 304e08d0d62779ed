"""Settings of a tree that were typed before a crash and changed elsewhere since: the window shows both, and
one is chosen; whichever it is, the other can be had back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import tree_edits
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.session.recovery import settings_row
from loomapp.store.files import drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands import node_actions
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.trees import Hand
from tests.kit.windows import unseen_window

MINE, THEIRS = "You are a botanist.", "You are a poet."
Open: TypeAlias = Callable[[], AbstractContextManager[MainWindow]]


@pytest.fixture
def typed() -> dict[str, object]:
    """Settings as they were left typed."""
    return {"system_context": MINE, "token_buffer": 12, "compression": True}


@pytest.fixture
def start(tmp_path: Path, qtbot: QtBot, typed: dict[str, object]) -> Open:
    """A start of the program after settings were left typed, and another program had changed them."""
    path, hand = tmp_path / "g.loom", Hand()
    with create_grove(path) as grove:
        tree = tree_edits.new_tree("dialogue", "T", hand.pen(grove.owner.id))
        grove.add_tree(tree, [grove.owner])
        drafts.keep(drafts_folder(path), settings_row(tree.loom, typed, 1_790_000_000_000))
        economy = EconomySettings(compression=False, summary_prompts={"story": THEIRS}, tight_chars=99)
        theirs = ContextSettings(token_buffer=99, economy=economy)
        loom = replace(tree.loom, system_context=THEIRS, context_settings=theirs)
        change = tree_edits.change_loom(tree, "Tree settings", hand.pen(grove.owner.id), loom)
        assert change is not None
        grove.commit(tree, change)

    @contextmanager
    def opened() -> Iterator[MainWindow]:
        with unseen_window(path) as window:
            yield window

    return opened


def settings(window: MainWindow) -> tuple[str | None, int | None]:
    loom = window.document.tree.loom
    return loom.system_context, loom.context_settings.token_buffer


def press(window: MainWindow, name: str) -> None:
    find(window.banner.offered, QPushButton, f"errorAct_{name}").click()


def test_both_are_shown_and_what_was_typed_can_be_used_and_taken_back(start: Open, qtbot: QtBot) -> None:
    with start() as window:
        said = window.banner.offered.text
        assert f"you typed “{MINE}” for the tree's system context, which is “{THEIRS}” now" in said
        assert "you typed 12 for the room for the answer, which is 99 now" in said
        assert "and 1 more" in said
        assert settings(window) == (THEIRS, 99)

        press(window, "take")

        qtbot.waitUntil(lambda: settings(window) == (MINE, 12))
        assert window.banner.offered.isHidden(), window.banner.offered.text
        node_actions.undo(window.bench)
        assert settings(window) == (THEIRS, 99)
    with start() as window:
        assert window.banner.offered.isHidden(), window.banner.offered.text


def test_what_was_typed_can_be_discarded_and_copied_still(start: Open, qtbot: QtBot) -> None:
    with start() as window:
        press(window, "other")

        assert settings(window) == (THEIRS, 99)
        assert window.banner.offered.isHidden(), window.banner.offered.text
        assert MINE in window.text_pane.errors.text
        find(window.text_pane.errors, QPushButton, "errorAction").click()
        assert QGuiApplication.clipboard().text() == MINE
    with start() as window:
        assert window.banner.offered.isHidden(), window.banner.offered.text
        assert settings(window) == (THEIRS, 99)


def test_what_is_put_away_is_offered_again(start: Open, qtbot: QtBot) -> None:
    with start() as window:
        find(window.banner.offered, QToolButton, "errorClose").click()
        assert window.banner.offered.isHidden(), window.banner.offered.text
    with start() as window:
        assert MINE in window.banner.offered.text


@pytest.mark.parametrize("typed", [{"summary_prompts": {"story": MINE}, "tight_chars": 80}])
def test_prompts_and_numbers_are_shown_in_words_and_discarded_prompts_can_be_copied(
    start: Open, qtbot: QtBot
) -> None:
    with start() as window:
        said = window.banner.offered.text
        assert f"you typed “{MINE}” for “Prompts of your own, by kind”, which is “{THEIRS}” now" in said
        assert "you typed 80 for “Tight budget, characters”, which is 99 now" in said

        press(window, "other")

        assert MINE in window.text_pane.errors.text
