"""A sitting: what is saved at every pause is one version or one node, and is taken back by words."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.generation.answers import CrashedRun, Sources
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Link
from loomapp.session.journal.journal import Journal
from loomapp.session.recovery import Recovered, run_row
from loomapp.store.checks.check import check
from loomapp.store.files import drafts
from loomapp.store.files.draft_claims import claim
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.families import each_once, one_in
from tests.kit.groves import MODEL
from tests.session.writing.test_buffer_session import Desk

FIRST, SECOND = "The lamp was lit.", " Nobody came."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


@pytest.fixture
def desk(path: Path, qtbot: QtBot) -> Iterator[Desk]:
    with create_grove(path) as grove:
        desk = Desk(grove)
        for text in (FIRST, SECOND):
            desk.type(text)
            desk.desk.commit()
        yield desk


def versions(desk: Desk, place: int) -> int:
    return len(desk.desk.buffer_text.versions(place))


def pause(desk: Desk) -> None:
    assert desk.desk.save()
    desk.check()
    desk.desk.input.end_step()


def test_what_one_sitting_writes_at_the_end_is_one_node(desk: Desk, path: Path) -> None:
    nodes = len(desk.tree.nodes)
    for words in (" One", " two", " three"):
        desk.type(words)
        pause(desk)

    assert desk.said == ["", FIRST, SECOND, " One two three"]
    assert len(desk.tree.nodes) == nodes + 1
    assert versions(desk, 3) == 1
    assert desk.tree.nodes[desk.document.path_ids[-1]].edited_from is None
    assert desk.document.current_id == desk.document.path_ids[-1]
    assert desk.verdicts() == {"ok"}
    with open_grove(path) as other:
        tree = other.load_tree(desk.tree.loom.id)
        assert list(tree.nodes) == list(desk.tree.nodes)
        assert tree.path == desk.tree.path


def test_a_word_typed_over_the_ends_of_two_passages_stands_in_the_first(desk: Desk) -> None:
    desk.type(" He")
    pause(desk)
    begin = len(FIRST) + len(" Nobody ")

    desk.type("w", begin, len(desk.text))
    for letter in "ent":
        desk.type(letter)

    pause(desk)
    assert desk.said == ["", FIRST, " Nobody went", ""]


def test_what_one_sitting_corrects_is_one_version(desk: Desk) -> None:
    nodes = len(desk.tree.nodes)
    for words in ("big ", "old ", "dim "):
        desk.type(words, at=4)
        pause(desk)

    assert desk.said == ["", "The dim old big lamp was lit.", SECOND]
    assert len(desk.tree.nodes) == nodes + 1
    assert versions(desk, 1) == 2
    spans = desk.desk.buffer_text.spans(1)
    assert spans[-1].end == len(desk.said[1])
    assert desk.verdicts() == {"ok"}


@pytest.mark.parametrize("at", [4, None])
def test_a_passage_that_another_program_continues_just_now_is_made_no_other(
    desk: Desk, path: Path, at: int | None
) -> None:
    desk.type(" One", at=at)
    pause(desk)
    asked = set(desk.tree.nodes)
    [asked_id] = desk.document.path_ids[1:2] if at else desk.document.path_ids[-1:]
    run = CrashedRun("run", desk.tree.loom.id, Sources(asked_id), MODEL.id, (Draft(0),))
    held = claim(drafts_folder(path), run_row(run, 0).slot)
    assert held is not None
    drafts.keep(drafts_folder(path), run_row(run, 0))

    desk.type(" two", at=at)
    pause(desk)

    assert asked < set(desk.tree.nodes)
    assert desk.verdicts() == {"ok"}
    held.release()


def test_who_comes_back_to_a_passage_in_the_same_sitting_makes_no_other_version(desk: Desk) -> None:
    nodes = len(desk.tree.nodes)
    desk.type(" Third.")
    desk.type("old ", at=4)
    desk.type(" Really.")
    desk.type("very ", at=4)
    pause(desk)

    assert desk.said == ["", "The very old lamp was lit.", SECOND, " Third. Really."]
    assert len(desk.tree.nodes) == nodes + 2
    assert desk.verdicts() == {"ok"}


@pytest.mark.parametrize("at", [4, None])
def test_undo_goes_by_words_through_what_was_saved_and_takes_all_of_it_back(
    desk: Desk, at: int | None
) -> None:
    nodes, steps = dict(desk.tree.nodes), len(desk.document.history.steps().steps)
    texts = [desk.text]
    for words in (" one", " two", " three"):
        desk.type(words, at=at)
        texts.append(desk.text)
        pause(desk)

    for text in reversed(texts[:-1]):
        assert desk.undo() is None
        assert desk.text == text
        pause(desk)
    assert dict(desk.tree.nodes) == nodes
    for text in texts[1:]:
        desk.redo()
        assert desk.text == text
    pause(desk)
    assert desk.text == texts[-1]
    for _ in texts[1:]:
        desk.undo()
    change = desk.undo()
    assert change is not None
    assert desk.text == FIRST
    assert desk.verdicts() == {"ok"}
    assert len([one for one in desk.document.history.steps().steps if one.state == "done"]) == steps - 1
    for text in (texts[0], *texts[1:]):
        desk.redo()
        assert desk.text == text


def test_what_was_written_elsewhere_before_is_taken_back_after_it(desk: Desk) -> None:
    texts = [desk.text]
    desk.type(" End", at=None)
    pause(desk)
    texts.append(desk.text)
    for words in ("old ", "very "):
        desk.type(words, at=4)
        pause(desk)
        texts.append(desk.text)

    for text in reversed(texts[:-1]):
        desk.undo()
        assert desk.text == text
    for text in texts[1:2]:
        desk.redo()
        assert desk.text == text
    assert desk.verdicts() == {"ok"}


def go_to_and_fro(desk: Desk, texts: list[str]) -> None:
    """Undo passes through these texts, the last is the one that is there; so does redo."""
    assert desk.text == texts[-1]
    for text in reversed(texts[:-1]):
        assert desk.undo() is not None
        assert desk.text == text
    for text in texts[1:]:
        assert desk.redo() is not None
        assert desk.text == text
    assert desk.verdicts() == {"ok"}


@pytest.mark.parametrize("at", [4, None])
def test_after_a_restart_undo_goes_back_through_all_that_was_saved(
    desk: Desk, path: Path, at: int | None
) -> None:
    texts = [desk.text]
    for words in (" one", " two", " three"):
        desk.type(words, at=at)
        texts.append(desk.text)
        pause(desk)
    with open_grove(path) as grove:
        go_to_and_fro(Desk(grove), texts)


def test_words_that_were_saved_and_deleted_in_the_same_sitting_come_back_after_a_restart(
    desk: Desk, path: Path
) -> None:
    texts = [desk.text]
    desk.type("twenty words that were written with care ", at=4)
    texts.append(desk.text)
    pause(desk)
    desk.type("", at=4, end=40)
    desk.type("Short version. ", at=4)
    texts.append(desk.text)
    pause(desk)
    with open_grove(path) as grove:
        go_to_and_fro(Desk(grove), texts)


def test_what_was_written_in_two_passages_between_two_pauses_is_one_step_after_a_restart(
    desk: Desk, path: Path
) -> None:
    texts = [desk.text]
    desk.type(" Third.")
    texts.append(desk.text)
    pause(desk)
    desk.type("", at=len(FIRST) + 3, end=len(desk.text) - 2)
    texts.append(desk.text)
    pause(desk)
    with open_grove(path) as grove:
        go_to_and_fro(Desk(grove), texts)


@pytest.mark.parametrize(("at", "further"), each_once([4, None], [0, 1, 2]))
def test_words_that_were_taken_back_one_by_one_are_reached_after_a_kill(
    desk: Desk, path: Path, qtbot: QtBot, at: int | None, further: int
) -> None:
    journal = Journal(desk.document)
    desk.desk.keep_in(journal)
    texts, before = [desk.text], len(desk.document.history.steps().steps)
    for words in (" one", " two", " three", " four", " five"):
        desk.type(words, at=at)
        texts.append(desk.text)
        pause(desk)
    for _ in range(3):
        desk.undo()
        pause(desk)
    for _ in range(further):
        desk.undo()
    journal.write_now()
    qtbot.waitUntil(lambda: journal.is_settled)
    with open_grove(path) as grove:
        again = Desk(grove)
        left = Journal(again.document)
        assert again.desk.take_up(left.recovered(again.tree.loom.id)).begun == ()
        again.check()
        assert again.text == texts[2 - further]
        found = [again.text]
        while sum(step.state == "done" for step in again.document.history.steps().steps) > before:
            again.undo()
            found.append(again.text)
        back = [again.text]
        while len(back) < len(found):
            again.redo()
            back.append(again.text)
        left.close()
        assert set(found) == set(back) == set(texts)
    journal.close()


def hang_child(desk: Desk, node_id: str) -> Change | None:
    return node_edits.add_node(desk.tree, node_id, "child", desk.document.pen())


def hang_note(desk: Desk, node_id: str) -> Change | None:
    return node_edits.annotate(desk.tree, node_id, "note", desk.document.pen())


def hang_bookmark(desk: Desk, node_id: str) -> Change | None:
    return node_marks.bookmark(desk.tree, node_id, "here", desk.document.pen())


def hang_tag(desk: Desk, node_id: str) -> Change | None:
    return node_marks.put_tag(desk.tree, [node_id], "draft", desk.document.pen())


def hang_link(desk: Desk, node_id: str) -> Change | None:
    link = Link(desk.tree.root_id, desk.tree.loom.id, node_id)
    return Change(desk.tree.loom.id, "Link", desk.document.pen().now, (RowChange(None, link),))


HANG = (hang_child, hang_note, hang_bookmark, hang_tag, hang_link)


@pytest.mark.parametrize(("hang", "is_other"), each_once(HANG, [False, True]))
@pytest.mark.parametrize("at", one_in(2, [4, None]))
def test_what_something_hangs_on_stays_and_the_next_is_a_version_of_it(
    desk: Desk, path: Path, hang: Callable[[Desk, str], Change | None], at: int | None, *, is_other: bool
) -> None:
    desk.type(" once", at=at)
    pause(desk)
    place = 1 if at else 3
    made = desk.document.path_ids[place]
    change = hang(desk, made)
    assert change is not None
    if is_other:
        rows = tuple(row for row in change.rows if not change.touches_path() or row is not change.rows[-1])
        with open_grove(path) as other:
            tree = other.load_tree(desk.tree.loom.id)
            other.commit(tree, Change(change.tree_id, change.label, change.at, rows, by="command line"))
    else:
        desk.document.commit(change, keeps_current=True)
    count = len(desk.tree.nodes) + (is_other and hang in (hang_child, hang_note))

    desk.type(" twice", at=at or len(FIRST + SECOND + " once"))
    pause(desk)

    assert made in desk.tree.nodes
    assert len(desk.tree.nodes) == count + 1
    assert desk.verdicts() == {"ok"}


def test_words_are_taken_up_once_though_the_process_died_between_the_save_and_the_journal(
    desk: Desk, path: Path, qtbot: QtBot
) -> None:
    journal = Journal(desk.document)
    desk.desk.keep_in(journal)
    for words, at in ((" One", None), (" two", None), ("old ", 4), ("very ", 4)):
        desk.type(words, at=at)
        journal.write_now()
        qtbot.waitUntil(lambda: journal.is_settled)
        rows = drafts.read(drafts_folder(path))
        assert rows
        pause(desk)
        text, nodes = desk.text, len(desk.tree.nodes)
        journal.write_now()
        qtbot.waitUntil(lambda: journal.is_settled)
        for row in rows:
            drafts.keep(drafts_folder(path), row)
        with open_grove(path) as grove:
            again = Desk(grove)
            left = Journal(again.document)
            again.desk.take_up(left.recovered(again.tree.loom.id))
            again.check()
            assert again.text == text
            again.desk.commit()
            assert len(again.tree.nodes) == nodes
            left.close()
        for row in rows:
            drafts.forget(drafts_folder(path), row.slot)
    journal.close()


def test_words_that_were_saved_and_gone_on_with_survive_a_kill(desk: Desk, path: Path, qtbot: QtBot) -> None:
    journal = Journal(desk.document)
    desk.desk.keep_in(journal)
    desk.type(" One")
    pause(desk)
    desk.type(" two")
    desk.type("old ", at=4)
    pause(desk)
    desk.type("very ", at=4)
    journal.write_now()
    qtbot.waitUntil(lambda: journal.is_settled)
    with open_grove(path) as grove:
        again = Desk(grove)
        left = Journal(again.document)
        found = left.recovered(again.tree.loom.id)
        assert found != Recovered()
        again.desk.take_up(found)
        again.check()
        assert again.text == desk.text
        again.desk.commit()
        assert again.verdicts() == {"ok"}
        left.close()
    journal.close()


@pytest.mark.parametrize("at", [4, None])
def test_a_sitting_that_is_taken_back_leaves_no_draft(
    desk: Desk, path: Path, qtbot: QtBot, at: int | None
) -> None:
    journal = Journal(desk.document)
    desk.desk.keep_in(journal)
    before = desk.text
    for words in (" one", " two"):
        desk.type(words, at=at)
        pause(desk)
    while desk.text != before:
        assert desk.undo() is None
    assert desk.undo() is not None

    journal.write_now()
    qtbot.waitUntil(lambda: journal.is_settled)
    assert not desk.desk.has_words
    assert drafts.read(drafts_folder(path)) == []
    journal.close()


def test_a_draft_of_a_version_that_was_taken_back_just_before_a_kill_is_not_offered_again(
    desk: Desk, path: Path, qtbot: QtBot
) -> None:
    journal = Journal(desk.document)
    desk.desk.keep_in(journal)
    desk.type("old ", at=4)
    pause(desk)
    desk.undo()
    journal.write_now()
    qtbot.waitUntil(lambda: journal.is_settled)
    rows = drafts.read(drafts_folder(path))
    desk.undo()
    journal.close()
    assert [row.slot.kind for row in rows] == ["edit"]
    for row in rows:
        drafts.keep(drafts_folder(path), row)

    with open_grove(path) as grove:
        again = Desk(grove)
        left = Journal(again.document)
        assert left.recovered(again.tree.loom.id) == Recovered()
        left.close()
    assert not drafts_folder(path).exists()


@pytest.mark.parametrize("seed", one_in(3, range(6)))
def test_however_one_writes_pauses_and_takes_back_the_file_holds_the_text(
    desk: Desk, path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        match chance.randrange(8):
            case 0 | 1 | 2:
                at = chance.randrange(len(desk.text) + 1)
                end = min(len(desk.text), at + chance.choice((0, 0, 0, 3, 30)))
                desk.type(chance.choice(("a", "bc ", " ", "")), at=at, end=end)
            case 3 | 4:
                before = desk.text
                pause(desk)
                assert desk.text == before
                with open_grove(path) as other:
                    tree = other.load_tree(desk.tree.loom.id)
                    assert "".join(tree.nodes[i].text for i in desk.document.path_ids) == desk.text
            case 5:
                desk.undo()
            case 6:
                desk.redo()
            case _:
                if chance.random() < 0.4:
                    desk.desk.commit()
                    desk.check()
    desk.desk.save()
    assert desk.verdicts() == {"ok"}
    whole = desk.text
    texts = [whole]
    while texts[-1]:
        desk.undo()
        texts.append(desk.text)
    for text in reversed(texts[:-1]):
        desk.redo()
        assert desk.text == text
    desk.desk.commit()
    desk.check()
    desk.grove.close()
    assert not check(path).problems
