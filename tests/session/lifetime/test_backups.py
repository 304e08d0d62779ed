"""Backups while a window is open: one when it is due, none when nothing changed, a word when it fails."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.errors import GroveError
from loomapp.session.document import Document
from loomapp.session.lifetime.backups import SMALL_BYTES, Backups
from loomapp.store.backups.backup import backups_folder, backups_of
from loomapp.store.grove.open import read_grove


def test_a_changed_grove_is_backed_up_once(document: Document, qtbot: QtBot) -> None:
    document.commit(node_edits.add_node(document.tree, document.current_id, "Keep me.", document.pen()))
    backups = Backups(document)

    backups.look()
    qtbot.waitUntil(lambda: len(backups_of(document.grove.path)) == 1, timeout=10_000)
    qtbot.waitUntil(lambda: backups._job is None or not backups._job.is_alive())
    backups.look()
    backups.close()

    (backup,) = backups_of(document.grove.path)
    with read_grove(backup.path) as copy:
        tree = copy.load_tree(document.tree.loom.id)
    assert "Keep me." in {node.text for node in tree.nodes.values()}


def test_a_backup_that_cannot_be_made_is_told_once(document: Document, qtbot: QtBot) -> None:
    document.commit(node_edits.add_node(document.tree, document.current_id, "Keep me.", document.pen()))
    backups_folder(document.grove.path).write_text("in the way")
    backups = Backups(document)
    errors: list[GroveError] = []
    backups.failed.connect(errors.append)

    for _ in range(2):
        backups.look()
        qtbot.waitUntil(lambda: backups._job is None or not backups._job.is_alive())
    backups.look()
    backups.close()

    assert len(errors) == 1
    assert "backed up" in errors[0].message


def commit(document: Document, text: str = "Keep me.") -> None:
    document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))


def test_closing_a_small_grove_backs_up_what_changed_and_nothing_twice(
    document: Document, qtbot: QtBot
) -> None:
    commit(document)
    Backups(document).close()

    (backup,) = backups_of(document.grove.path)
    assert backup.reason == "closing"
    assert not backup.damaged
    with read_grove(backup.path) as copy:
        assert "Keep me." in {n.text for n in copy.load_tree(document.tree.loom.id).nodes.values()}

    Backups(document).close()
    assert len(backups_of(document.grove.path)) == 1


def test_closing_a_large_grove_leaves_it_to_the_next_start(document: Document, qtbot: QtBot) -> None:
    commit(document, "x" * (SMALL_BYTES + 1))
    Backups(document).close()
    assert backups_of(document.grove.path) == []

    later = Backups(document)
    later.look()
    qtbot.waitUntil(lambda: len(backups_of(document.grove.path)) == 1, timeout=20_000)
    later.close()
