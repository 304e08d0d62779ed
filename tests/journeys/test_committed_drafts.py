"""The process dies right after a commit: composer, edit and note of a dialogue are not offered again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.session.document import Document
from loomapp.store.files import drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands.save import save as saving
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.windows import unseen_window


def write(window: MainWindow, kind: str, node_id: str, text: str) -> None:
    """As its field tells of it."""
    if kind == "composer":
        window.composer.set_text(text)
    elif kind == "edit":
        window.writings.on_edit_typed(node_id, text)
    else:
        window.writings.on_note_typed(node_id, text)


def save(window: MainWindow, kind: str, node_id: str, text: str) -> None:
    if kind == "composer":
        assert saving.save_message(window.bench, partial(window.composer.set_text, text))
    elif kind == "edit":
        saving.save_edit(window.bench, node_id, text)
    else:
        saving.add_note(window.bench, node_id, text)


@pytest.mark.parametrize("kind", one_in(3, ["composer", "edit", "note"]))
def test_what_was_saved_a_moment_before_the_end_is_not_offered_again(
    tmp_path: Path, qtbot: QtBot, kind: str
) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        document = Document(grove)
        document.commit(node_edits.add_node(document.tree, document.current_id, "Hello", document.pen()))
        node_id = document.current_id
    with unseen_window(path) as window:
        journal = window.journal
        assert journal is not None
        write(window, kind, node_id, "abcd")
        journal.write_now()
        qtbot.waitUntil(lambda: journal.is_settled)
        rows = drafts.read(drafts_folder(path))
        write(window, kind, node_id, "abcd efg")
        save(window, kind, node_id, "abcd efg")
        nodes = dict(window.document.tree.nodes)
        assert [node.text for node in nodes.values()].count("abcd efg") == 1
    for row in rows:
        drafts.keep(drafts_folder(path), row)

    with unseen_window(path) as window:
        assert window.document.tree.nodes.keys() == nodes.keys()
        assert window.composer.text == ""
        assert not window.writings.are_under_way()
        assert window.banner.offered.isHidden()
    assert [row.slot.kind for row in rows] == [kind]
    assert not drafts_folder(path).exists()
