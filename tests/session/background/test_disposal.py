"""What a large tree takes up is let go of bit by bit, and whoever still has the tree keeps all of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from loomapp.session.background.background_work import MANY_PARTS, OWNER_LOOK_MS, put_away
from tests.bench.groves import grown


@pytest.fixture
def parent(qtbot: QtBot) -> Iterator[QObject]:
    parent = QObject()
    yield parent
    parent.deleteLater()


def test_a_large_tree_is_taken_apart_once_nobody_has_it(parent: QObject, qtbot: QtBot) -> None:
    tree = grown("bushy", MANY_PARTS)
    parts = tree.parts()

    put_away(tree, parts, parent)
    del tree

    assert len(parts[0]) == MANY_PARTS
    qtbot.waitUntil(lambda: not any(parts))


def test_who_still_has_it_keeps_it_whole(parent: QObject, qtbot: QtBot) -> None:
    """An answer may still be written to it."""
    tree = grown("bushy", MANY_PARTS)

    put_away(tree, tree.parts(), parent)
    qtbot.wait(3 * OWNER_LOOK_MS)

    assert len(tree.nodes) == MANY_PARTS
    assert sum(len(tree.children(node_id)) for node_id in tree.nodes) == MANY_PARTS - 1


def test_a_small_tree_goes_at_once(parent: QObject) -> None:
    tree = grown("bushy", 100)

    put_away(tree, tree.parts(), parent)

    assert not parent.children()
