"""The process dies between a commit and the journal's forgetting: what is on disk is older than the node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.session.journal.journal import Journal
from loomapp.store.files import drafts
from loomapp.store.files.drafts import DraftRow, Slot, drafts_folder
from loomapp.store.grove.open import create_grove, open_grove
from tests.session.writing.test_buffer_session import Desk


def before(path: Path, journal: Journal, qtbot: QtBot) -> list[DraftRow]:
    """What is on disk."""
    journal.write_now()
    qtbot.waitUntil(lambda: journal.is_settled)
    return drafts.read(drafts_folder(path))


def put_back(path: Path, rows: list[DraftRow]) -> None:
    """As if the process had died before they could be written anew."""
    for row in rows:
        drafts.keep(drafts_folder(path), row)


def begun_desk(path: Path) -> tuple[Desk, Journal]:
    desk = Desk(create_grove(path))
    desk.type("Once upon a time")
    desk.desk.commit()
    journal = Journal(desk.document)
    desk.desk.keep_in(journal)
    return desk, journal


@contextmanager
def taken_up(path: Path) -> Iterator[Desk]:
    """The next process, with what the journal gives back; in the end nothing is left to be written."""
    with open_grove(path) as grove:
        desk = Desk(grove)
        journal = Journal(desk.document)
        desk.desk.take_up(journal.recovered(desk.tree.loom.id))
        desk.desk.keep_in(journal)
        yield desk
        journal.close()
    assert not drafts_folder(path).exists()


def settle(desk: Desk) -> None:
    desk.desk.settle()


def generate(desk: Desk) -> None:
    desk.generate("there was a king.")


def open_another(desk: Desk) -> None:
    desk.document.new_tree("buffer")


@pytest.mark.parametrize("go_on", [settle, generate, open_another])
@pytest.mark.parametrize(("first", "then"), [((None, " abcd"), " efg"), ((4, "xy"), "z")])
def test_words_that_are_a_node_are_not_written_again(
    path: Path, qtbot: QtBot, first: tuple[int | None, str], then: str, go_on: Callable[[Desk], None]
) -> None:
    desk, journal = begun_desk(path)
    tree_id, (at, words) = desk.tree.loom.id, first
    desk.type(words, at)
    rows = before(path, journal, qtbot)
    assert len(rows) == 1
    desk.type(then, None if at is None else at + len(words))
    desk.desk.commit() if go_on is generate else None
    go_on(desk)
    tree = desk.grove.load_tree(tree_id)
    journal.close()
    desk.grove.close()
    put_back(path, rows)

    with open_grove(path) as grove:
        again = Desk(grove)
        again.document.open_tree(tree_id)
        journal = Journal(again.document)
        left = journal.recovered(tree_id)
        assert (left.composer, left.begun) == (None, ())
        assert again.desk.take_up(left).begun == ()
        again.desk.keep_in(journal)
        assert again.tree.nodes.keys() == tree.nodes.keys()
        assert (words + then) in again.text
        assert again.text.count(words) == 1
        journal.close()
    assert not drafts_folder(path).exists()


def test_what_is_written_after_a_commit_is_another_draft(path: Path, qtbot: QtBot) -> None:
    desk, journal = begun_desk(path)
    desk.type(" abcd")
    desk.desk.commit()
    desk.type(" abcd")
    rows = before(path, journal, qtbot)
    journal.close()
    desk.grove.close()
    put_back(path, rows)

    with taken_up(path) as again:
        assert again.text == "Once upon a time abcd abcd"
        again.desk.commit()
        assert again.said[-2:] == [" abcd", " abcd"]


def test_a_draft_of_an_older_version_is_offered_and_becomes_a_node(path: Path, qtbot: QtBot) -> None:
    desk, journal = begun_desk(path)
    desk.type(" abcd")
    (row,) = before(path, journal, qtbot)
    journal.close()
    desk.grove.close()
    body = {name: value for name, value in row.body.items() if name != "becomes"}
    put_back(path, [replace(row, body=body)])

    with taken_up(path) as again:
        assert again.text == "Once upon a time abcd"
        again.desk.commit()
        assert again.said[-1] == " abcd"


def test_an_id_is_given_out_once_also_when_its_node_is_undone(path: Path, qtbot: QtBot) -> None:
    desk, journal = begun_desk(path)
    slot = Slot(desk.tree.loom.id, "composer")
    desk.type(" abcd")
    coming = journal.coming_id(slot)

    desk.desk.commit()
    assert desk.document.path_ids[-1] == coming
    desk.undo()
    desk.type(" efg")

    assert journal.coming_id(slot) != coming
    document, edited = desk.document, desk.document.path_ids[-1]
    slot = Slot(desk.tree.loom.id, "edit", edited)
    pen = document.pen().naming(coming := journal.coming_id(slot))
    document.commit(node_edits.edit_as_version(document.tree, edited, "other words", pen))
    assert coming in document.tree.nodes
    desk.undo()
    assert journal.coming_id(slot) != coming, "the same passage is edited again"
    journal.close()
    desk.grove.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"
