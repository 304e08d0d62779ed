"""A grove that an older program's window left when it was killed, in today's window.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from loomapp.store.files import drafts
from loomapp.store.grove.open import read_grove
from loomapp.ui.window.main_window import MainWindow
from tests.data.golden.killed import VERSIONS, KilledGrove, unpacked
from tests.data.golden.make_grove import tree_said
from tests.kit.windows import open_window, wait_for_backup

PICTURE = {1: "", 2: "What is in this picture?"}  # the words beside the picture that was sent
DRAFT = {1: "", 2: "An unsent draft stays here"}


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    """The version of the grove."""
    number: int = request.param
    return number


@pytest.fixture
def old(version: int, tmp_path: Path) -> KilledGrove:
    """A copy of the grove."""
    return unpacked(version, tmp_path)


@pytest.fixture
def left(old: KilledGrove) -> list[str]:
    """The answers that were streaming, as far as they had come."""
    rows = drafts.read(drafts.drafts_folder(old.path))
    bodies: list[Any] = [row.body for row in rows if row.slot.kind == "run"]
    return [draft["text"] for body in bodies for draft in body["drafts"]]


@pytest.fixture
def window(old: KilledGrove, left: list[str], qtbot: QtBot) -> Iterator[MainWindow]:
    """Today's window on it."""
    assert left
    with open_window(old.path, qtbot) as window:
        yield window
    wait_for_backup(qtbot)


def trigger(window: MainWindow, name: str) -> None:
    window.actions_set.by_name[name].trigger()


def states(path: Path) -> list[Any]:
    """All that the file says of each tree, but for when it was changed last."""
    with read_grove(path) as grove:
        found = [json.loads(json.dumps(tree_said(grove, row.id))) for row in grove.trees()]
    for value in found:
        del value["tree"]["updatedAt"]
    return found


def test_streaming_answers_become_nodes_and_the_unsent_message_is_there(
    window: MainWindow, old: KilledGrove, left: list[str], version: int
) -> None:
    texts = [
        node["content"]["text"] for tree in states(old.path) for node in tree["nodes"] if node["interrupted"]
    ]

    assert window.composer.text == DRAFT[version]
    assert set(left) <= set(texts)


def test_all_steps_are_undone_and_redone_and_a_message_goes_back_into_the_composer(
    window: MainWindow, old: KilledGrove, version: int
) -> None:
    document = window.document
    window.composer.start_over()
    before, undone, label = states(old.path), 0, None
    while document.history.undo_label and not window.preview.attachments.blocks:
        label = document.history.undo_label
        trigger(window, "undo")
        undone += 1
    assert label == "Write"
    assert window.composer.text == PICTURE[version]
    assert [getattr(block, "alt_text", None) for block in window.preview.attachments.blocks] == ["pic.png"]

    while document.history.undo_label:
        trigger(window, "undo")
        undone += 1
    assert list(document.tree.nodes) == [document.tree.root_id]
    for _ in range(undone):
        trigger(window, "redo")
    assert (window.composer.text, window.preview.attachments.blocks) == ("", ())
    assert states(old.path) == before


@pytest.mark.slow
@pytest.mark.parametrize("version", [2], indirect=True)
def test_a_buffer_is_undone_to_its_empty_page_and_redone_to_the_same_text(
    window: MainWindow, old: KilledGrove
) -> None:
    document = window.document
    document.open_tree(document.grove.trees()[1].id)
    before, text, undone = states(old.path), window.buffer.view.editor.text, 0
    assert text.startswith("The sea rough calm that night, and nobody spoke.")
    while document.history.undo_label:
        trigger(window, "undo")
        undone += 1
    assert window.buffer.view.editor.text == ""
    assert list(document.tree.nodes) == [document.tree.root_id]

    for _ in range(undone):
        trigger(window, "redo")

    assert window.buffer.view.editor.text == text
    assert states(old.path) == before
