"""A session of writing: strokes become versions and nodes when one goes on elsewhere, and no text jumps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Image
from loomapp.core.model.entities import EdgeSource
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve
from loomapp.core.prose.buffer_text import TextChange
from loomapp.core.text.query import find
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.recovery import BegunText
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.session.writing.continuation import BufferContinuation
from loomapp.session.writing.passages import Passages
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.groves import MODEL, generated
from tests.kit.trees import Hand


class Desk:
    """A buffer on a desk, and a view that only knows what it is told."""

    def __init__(self, grove: Grove) -> None:
        self.grove = grove
        if not grove.trees():
            tree = tree_edits.new_tree("buffer", "A story", Hand().pen(grove.owner.id))
            grove.add_tree(tree, [grove.owner, MODEL], [])
        self.document = Document(grove)
        self.desk = BufferSession(self.document)
        self.passages = Passages(self.document, self.desk)
        self.continuation = BufferContinuation(self.document, self.desk, self.passages)
        self.hand = Hand(edits_at(self.document.tree) + 1)
        self.view = self.desk.buffer_text.text
        self.failed: list[LoomError] = []
        self.desk.spliced.connect(self.on_spliced)
        self.desk.rebased.connect(self.on_spliced)
        self.desk.shown.connect(self.on_shown)
        self.desk.failed.connect(self.failed.append)

    def on_spliced(self, splice: TextChange) -> None:
        self.view = self.view[: splice.start] + splice.text + self.view[splice.end :]

    def on_shown(self) -> None:
        self.view = self.desk.buffer_text.text if self.desk.is_open else ""

    def type(self, text: str, at: int | None = None, end: int | None = None, at_s: float = 0.0) -> None:
        """What a view does: it shows the stroke, and tells of it."""
        start = len(self.view) if at is None else at
        end = start if end is None else end
        self.view = self.view[:start] + text + self.view[end:]
        self.desk.input.typed(start, end, text, at_s)
        self.check()

    def generate(self, *texts: str, at: int | None = None) -> list[str]:
        """Continuations from a caret, as they come; their ids."""
        node_id = self.continuation.continue_from(at).node_id
        self.document.place.read(node_id)
        change = generated(self.document.tree, node_id, texts, self.hand)
        self.document.commit(change)
        self.check()
        return [node.id for node in change.added_nodes()]

    def undo(self) -> Change | None:
        change = self.desk.undo.undo(lambda _: None)
        self.check()
        return change

    def redo(self) -> Change | None:
        change = self.desk.undo.redo()
        self.check()
        return change

    @property
    def tree(self) -> Tree:
        return self.document.tree

    @property
    def text(self) -> str:
        return self.desk.buffer_text.text

    @property
    def said(self) -> list[str]:
        """What the nodes of the path say."""
        return [self.tree.nodes[i].text for i in self.document.path_ids]

    def check(self) -> None:
        """The view shows the resolved path and what is written in it."""
        buffer_text = self.desk.buffer_text
        assert self.view == self.text
        assert buffer_text.node_ids == self.document.path_ids
        assert self.document.path_ids == resolve.resolve(self.tree, self.tree.path.leaf_id).node_ids
        for place, node_id in enumerate(buffer_text.node_ids):
            if node_id not in buffer_text.penned:
                assert buffer_text.text_of(place) == self.tree.nodes[node_id].text
        for place in range(len(buffer_text)):
            spans = buffer_text.spans(place)
            ends = [0, *(span.end for span in spans)]
            assert [span.start for span in spans] == ends[:-1]
            assert ends[-1] == len(buffer_text.text_of(place))
            if place < len(buffer_text.node_ids):
                shown = buffer_text.node_ids[place]
                assert shown in buffer_text.versions(place)
                turn = buffer_text.siblings(place)
                assert turn.node_ids[turn.index] == shown

    def verdicts(self) -> set[str]:
        found = verify_tree(self.grove, self.tree.loom.id)
        assert not [one.reason for one in found if one.verdict == "failed"]
        return {finding.verdict for finding in found}


def edits_at(tree: Tree) -> int:
    """The time of the newest node."""
    return max(node.created_at for node in tree.nodes.values())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


@pytest.fixture
def desk(path: Path, qtbot: QtBot) -> Iterator[Desk]:
    with create_grove(path) as grove:
        yield Desk(grove)


def test_an_empty_tree_that_was_made_a_buffer_is_one_after_a_restart(path: Path, qtbot: QtBot) -> None:
    with create_grove(path) as grove:
        Document(grove).set_mode("buffer")

    with open_grove(path) as grove:
        assert Document(grove).tree.loom.mode == "buffer"


def test_what_is_typed_at_the_end_is_no_node_until_it_is_committed(desk: Desk) -> None:
    desk.type("Once upon")

    assert desk.said == [""]
    assert desk.desk.working_text == "Once upon"
    desk.desk.commit()

    assert desk.said == ["", "Once upon"]
    assert desk.desk.working_text == ""
    assert desk.document.current_id == desk.document.path_ids[-1]
    desk.check()


def test_a_corrected_word_becomes_a_version_when_one_goes_on_elsewhere(desk: Desk) -> None:
    desk.type("Once upon")
    answers = desk.generate(" a time.", " a hill.")
    desk.type("X", at=5, end=6)
    desk.type("Y", at=6)
    assert len(desk.tree.nodes) == 4

    desk.type(" There")

    assert desk.said == ["", "Once XYpon", " a time."]
    assert len(desk.tree.nodes) == 5
    assert desk.desk.working_text == " There"
    assert "".join(desk.tree.nodes[i].text for i in resolve.resolve(desk.tree, answers[1]).node_ids) == (
        "Once XYpon a hill."
    )
    assert desk.undo() is None
    assert desk.text == "Once XYpon a time."
    change = desk.undo()
    assert change is not None
    assert change.label == "Undo Edit"
    assert desk.text == "Once upon a time."
    assert desk.verdicts() == {"ok"}


def test_the_working_buffer_is_committed_before_a_node_is_edited(desk: Desk) -> None:
    desk.type("Once ")
    desk.desk.commit()
    desk.type("upon")

    desk.type("Twice ", at=0, end=5)

    assert desk.said == ["", "Once ", "upon"]
    assert desk.text == "Twice upon"
    desk.desk.commit()
    assert desk.said == ["", "Twice ", "upon"]


def test_an_edit_is_about_the_version_that_typing_becomes_first(desk: Desk) -> None:
    desk.type("Once ")
    desk.desk.commit()
    node_id = desk.document.current_id
    desk.type("Twice ", at=0, end=5)

    about = desk.document.edit([node_id, desk.tree.root_id], node_marks.exclude)

    version_id = desk.document.path_ids[-1]
    assert about == [version_id, desk.tree.root_id]
    assert (desk.tree.nodes[version_id].text, desk.tree.nodes[version_id].metadata.excluded) == (
        "Twice ",
        True,
    )
    assert not desk.tree.nodes[node_id].metadata.excluded
    assert desk.document.history.undo_label == "Exclude 2 nodes"


def test_an_edit_that_changes_nothing_is_about_no_node_and_no_step(desk: Desk) -> None:
    desk.type("Once ")
    desk.desk.commit()
    label = desk.document.history.undo_label

    about = desk.document.edit([desk.document.current_id], node_marks.include)

    assert (list(about), desk.document.history.undo_label) == ([], label)


def test_typing_over_a_selection_of_three_nodes_is_one_change(desk: Desk) -> None:
    for text in ("one ", "two ", "three ", "four"):
        desk.type(text)
        desk.desk.commit()
    nodes = len(desk.tree.nodes)

    desk.type("X", at=2, end=10)
    desk.type("Y", at=3)
    desk.desk.commit()

    assert desk.said == ["", "onXY", "", "ree ", "four"]
    assert len(desk.tree.nodes) == nodes + 3
    undone = desk.undo()
    assert undone is not None
    assert desk.said == ["", "one ", "two ", "three ", "four"]
    desk.redo()
    assert desk.text == "onXYree four"


def test_undo_takes_back_typing_first_and_then_changes_and_redo_goes_the_same_way(desk: Desk) -> None:
    desk.type("Once ", at_s=0)
    desk.desk.commit()
    desk.type("upon", at_s=10)
    desk.type(" a", at_s=20)

    texts = [desk.text]
    for _ in range(3):
        desk.undo()
        texts.append(desk.text)
    for _ in range(3):
        desk.redo()
        texts.append(desk.text)

    assert texts == ["Once upon a", "Once upon", "Once ", "", "Once ", "Once upon", "Once upon a"]


def test_words_that_are_written_over_at_once_come_back(desk: Desk) -> None:
    desk.type("Once upon a time", at_s=10)
    desk.type("Z", at=0, end=len(desk.view), at_s=10.4)  # all selected, and typed over in the same breath

    desk.undo()
    assert desk.view == "Once upon a time"
    desk.undo()
    assert desk.view == ""


def test_typing_can_be_redone_as_soon_as_the_change_before_it_is(desk: Desk) -> None:
    desk.type("Once ", at_s=0)
    desk.desk.commit()
    desk.type("X", at=1, at_s=10)
    told: list[bool] = []
    desk.desk.written.connect(lambda: told.append(desk.desk.undo.can_redo_typing))
    desk.undo()
    desk.undo()
    assert (desk.text, told[-1]) == ("", False)

    desk.redo()
    assert (desk.text, told[-1]) == ("Once ", True)
    desk.redo()

    assert (desk.text, told[-1]) == ("OXnce ", False)


def test_what_is_redone_stands_where_it_was_though_another_program_wrote_there(desk: Desk) -> None:
    desk.type("Once ", at_s=0)
    desk.desk.commit()
    leaf = desk.document.path_ids[-1]
    desk.document.place.has_words = lambda: desk.desk.has_words
    desk.type("upon", at_s=10)
    with open_grove(desk.grove.path) as other:
        tree = other.load_tree(desk.tree.loom.id)
        other.commit(tree, node_edits.add_node(tree, leaf, "elsewhere", desk.document.pen()))
    desk.document.catch_up()
    assert desk.text == "Once upon"

    for _ in range(3):
        desk.undo()
    assert desk.text == ""
    for _ in range(3):
        desk.redo()

    assert desk.text == "Once upon"
    assert len(desk.tree.children(leaf)) == 1


def test_what_was_written_since_stands_in_the_place_of_what_was_undone(desk: Desk) -> None:
    desk.type("Once ")
    desk.desk.commit()
    desk.undo()
    desk.type("Twice")

    assert desk.redo() is None
    assert desk.text == "Twice"


def test_a_sibling_is_chosen_and_what_was_written_stays_behind(desk: Desk) -> None:
    desk.type("Once")
    desk.generate(" upon", " a time")
    desk.type(" more")

    desk.passages.step_sibling(2, 1)

    assert desk.text == "Once a time"
    desk.check()
    desk.passages.step_sibling(2, 1)
    assert desk.text == "Once upon more"


def test_a_version_is_chosen_in_one_place(desk: Desk) -> None:
    desk.type("Once")
    desk.generate(" upon", " a time")
    desk.type("Twice", at=0, end=4)
    desk.desk.commit()
    desk.generate(" there")

    desk.passages.step_version(1, 1)

    assert desk.text == "Once upon there"
    assert desk.said == ["", "Once", " upon", " there"]
    assert desk.verdicts() == {"ok"}


@pytest.mark.parametrize("after", ["", " ghi"])
def test_the_whole_of_a_text_that_was_continued_within_leads_back_to_that(desk: Desk, after: str) -> None:
    desk.type("abc def")
    if after:
        desk.generate(after)
    desk.generate(" xyz", at=3)
    assert desk.text == "abc xyz"

    desk.passages.step_version(1, -1)
    assert desk.text == "abc def" + after
    desk.passages.step_version(1, 1)
    assert desk.text == "abc xyz"

    desk.passages.step_sibling(2, 1)  # from here on the old words were read last
    assert desk.text == "abc def" + after
    desk.passages.step_version(1, -1)
    desk.passages.step_version(1, 1)
    assert desk.said[:3] == ["", "abc", " def"]
    assert desk.text == "abc def" + after


def test_undo_of_later_words_leaves_the_version_that_was_chosen_since(desk: Desk) -> None:
    desk.type("abc")
    desk.generate(" def")
    desk.type("zz", at=1)
    desk.desk.commit()
    desk.type("tail")
    desk.desk.commit()
    [place, *_] = (p for p, i in enumerate(desk.document.path_ids) if desk.tree.nodes[i].text == "azzbc")
    desk.passages.step_version(place, -1)
    assert desk.text == "abc deftail"

    desk.undo()
    assert desk.text == "abc def"
    desk.redo()
    assert desk.text == "abc deftail"


def test_redo_after_a_restart_reads_the_sibling_that_was_chosen(path: Path, qtbot: QtBot) -> None:
    with create_grove(path) as grove:
        desk = Desk(grove)
        desk.type("Once")
        desk.generate(" upon", " a time")
        desk.passages.step_sibling(2, 1)
        desk.undo()
        assert desk.text == "Once"

    with open_grove(path) as grove:
        again = Desk(grove)
        again.redo()
        assert again.text == "Once a time"


def test_generating_in_the_middle_splits_before_the_space(desk: Desk) -> None:
    desk.type("Once ")
    (answer,) = desk.generate("upon a time")
    assert desk.text == "Onceupon a time"

    fresh = desk.generate(" us", " them", at=len("Onceupon "))

    assert desk.said == ["", "Once", "upon", " us"]
    turn = desk.desk.buffer_text.siblings(3)
    assert (turn.index, turn.count) == (1, 3)
    assert turn.node_ids[1:] == tuple(fresh)
    half = desk.tree.nodes[desk.document.path_ids[2]]
    assert (half.author_type, half.edited_from) == ("model", answer)
    assert desk.verdicts() == {"ok"}
    desk.passages.step_sibling(3, -1)
    assert desk.text == "Onceupon a time"


def test_a_space_at_the_end_is_left_out_before_a_request_and_said(desk: Desk) -> None:
    desk.type("Once  ")

    continuation = desk.continuation.continue_from()

    assert continuation.spaces_left_out == 2
    assert desk.text == "Once  "  # until the answers are there, or on their way
    assert desk.tree.nodes[continuation.node_id].text == "Once"
    assert desk.continuation.continue_from().node_id == continuation.node_id
    desk.check()


def test_spaces_that_were_left_out_belong_before_the_next_word(desk: Desk) -> None:
    desk.type("Once  ")
    desk.document.place.read(desk.continuation.continue_from().node_id)
    desk.check()

    assert desk.continuation.left_out_at(len("Once")) == "  "
    assert desk.continuation.left_out_at(2) == ""
    desk.continuation.forget_left_out()
    assert desk.continuation.left_out_at(len("Once")) == ""


def test_spaces_that_a_person_wrote_last_are_left_out_however_they_are_committed(desk: Desk) -> None:
    desk.type("Once ")
    desk.desk.commit()
    desk.type("  ")
    desk.desk.commit()
    whole = desk.document.path_ids

    ahead = desk.continuation.ahead(len(desk.text))
    continuation = desk.continuation.continue_from()

    assert ahead.tree.nodes[ahead.at].text == desk.tree.nodes[continuation.node_id].text == "Once"
    assert continuation.spaces_left_out == 3
    desk.document.place.read(whole[-2])
    desk.document.commit(generated(desk.tree, whole[-2], ("upon",), desk.hand))
    assert desk.text == "Once upon", "what was written after the spaces goes on after them"
    [edge] = desk.tree.incoming(desk.document.path_ids[-1])
    assert edge.with_role("primary") == (whole[-2],)
    [edge] = desk.tree.incoming(whole[-1])
    assert edge.with_role("primary") == (whole[-2], continuation.node_id)


def test_a_model_that_is_told_to_continue_gets_the_space(desk: Desk) -> None:
    told = Agent("told", "Told", "model", "openai:gpt-5")
    desk.document.agents.put(told)
    desk.document.agents.ask_only(told.id)
    desk.type("Once ")

    continuation = desk.continuation.continue_from()

    assert continuation.spaces_left_out == 0
    assert desk.text == "Once "


def test_no_word_stands_before_the_first(desk: Desk) -> None:
    desk.type(" Once")
    desk.desk.commit()

    for caret in (0, 1):
        with pytest.raises(InvalidInput):
            desk.continuation.continue_from(caret)


def test_chains_are_merged_and_a_path_is_kept(desk: Desk) -> None:
    desk.type("Once ")
    desk.desk.commit()
    desk.type("upon")
    desk.generate(" a time", " a hill")

    assert desk.passages.merge_chain(1) == 2
    assert desk.said == ["", "Once upon", " a time"]
    assert desk.passages.keep_path()
    assert not desk.passages.keep_path()

    assert desk.desk.buffer_text.siblings(2).count == 1
    desk.check()
    desk.undo()
    desk.undo()
    assert desk.said == ["", "Once ", "upon", " a time"]
    with pytest.raises(InvalidInput):
        desk.passages.merge_with_parent(1)


def test_what_was_found_is_replaced_in_one_step(desk: Desk) -> None:
    desk.type("The lamp and the la")
    desk.generate("mp. A LAMP.")
    matches = find(desk.text, "lamp", "boat")
    assert len(matches) == 3

    assert desk.passages.replace_all(matches) == 2

    assert desk.text == "The boat and the boat. A boat."
    assert desk.said == ["", "The boat and the boat", ". A boat."]
    desk.check()
    desk.undo()
    assert desk.text == "The lamp and the lamp. A LAMP."
    with pytest.raises(LoomError):
        desk.passages.replace_all(find("xx lamp", "lamp", "boat"))


def test_half_a_surrogate_pair_is_mended_in_the_view_too(desk: Desk) -> None:
    desk.type("a\ud83d b")

    assert desk.text == "a\ufffd b"


def test_an_image_in_the_text_is_not_written_over(desk: Desk) -> None:
    desk.type("Once")
    desk.desk.commit()
    tree, pen = desk.tree, desk.document.pen()
    node, edge = edit_context.continuation(tree, Image("0" * 64, "image/png", alt_text="a cat"),
                                     (EdgeSource(desk.document.path_ids[-1]),), pen)  # fmt: skip
    rows = (RowChange(None, node), RowChange(None, edge), edit_context.path_to(tree, node.id))
    desk.document.commit(edit_context.change_of(tree, "Write", pen, rows))
    assert desk.text == "Once[image: a cat]"

    with pytest.raises(InvalidInput):
        desk.desk.input.typed(3, 8, "x")

    assert desk.text == "Once[image: a cat]"
    assert not desk.desk.has_words


def test_what_the_file_does_not_take_stays_under_the_pen(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.type("Once ")
    desk.desk.commit()
    desk.type("there ")
    desk.desk.commit()
    desk.type("Twice ", at=0, end=5)

    def full(*_: object, **__: object) -> None:
        raise GroveError("full", "The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(Grove, "commit_unless_moved", full)
        desk.type("upon", at_s=10)
        assert [error.code for error in desk.failed] == ["full"]
        assert desk.text == "Twice there upon"
        with pytest.raises(GroveError):
            desk.desk.commit()
        assert desk.text == "Twice there upon"

    assert desk.desk.settle()
    assert desk.said == ["", "Twice ", "there ", "upon"]
    desk.check()


def test_another_tree_finds_the_words_committed(desk: Desk) -> None:
    desk.type("Once")
    first = desk.tree.loom.id

    desk.document.new_tree("buffer")
    assert desk.text == ""
    desk.document.open_tree(first)

    assert desk.said == ["", "Once"]
    desk.check()


def test_words_in_a_node_that_leaves_the_path_become_its_version_there(desk: Desk, qtbot: QtBot) -> None:
    desk.type("Once")
    answers = desk.generate(" upon", " a time")
    desk.type(" X", at=4, end=9)

    change = node_edits.choose_path(desk.tree, answers[1], desk.document.pen())
    desk.document.commit(change)  # by a hand that does not ask
    assert desk.text == "Once a time"
    qtbot.waitUntil(lambda: bool(desk.tree.edits_of(answers[0])))

    assert desk.text == "Once a time"
    version = desk.tree.nodes[desk.tree.edits_of(answers[0])[0]]
    assert version.text == " X"
    desk.check()


def test_redo_passes_over_spaces_left_out_for_an_answer_that_never_came(desk: Desk) -> None:
    desk.type("Once ")
    desk.continuation.continue_from()
    desk.type("more")
    desk.desk.commit()
    for _ in range(3):
        desk.document.history.undo_steps(1, lambda: True, lambda change: None)
    desk.document.history.redo_steps(1, lambda: True)  # as who goes to a point of the history
    assert (desk.text, desk.document.history.redo_label) == ("Once ", "Leave out spaces")

    desk.redo()

    assert desk.text == "Once more"


def test_spaces_that_were_left_out_make_no_version_to_choose(desk: Desk) -> None:
    desk.type("Once  ")
    desk.generate(" upon")
    assert desk.said == ["", "Once", " upon"]
    assert desk.desk.buffer_text.versions(1) == (desk.document.path_ids[1],)

    desk.type("Twice", at=0, end=4)
    desk.desk.commit()

    versions = desk.desk.buffer_text.versions(1)
    assert [desk.tree.nodes[i].text for i in versions] == ["Once  ", "Once", "Twice"]


def test_a_passage_that_is_pruned_does_not_stay_as_it_was_before_spaces_were_left_out(desk: Desk) -> None:
    desk.type("Once")
    desk.generate(" upon")
    desk.type(" a time ")
    desk.generate(" there")
    assert desk.said == ["", "Once", " upon", " a time", " there"]

    desk.document.commit(node_marks.prune(desk.tree, desk.document.path_ids[3], desk.document.pen()))

    assert desk.text == "Once upon"
    living = [node.text for node in desk.tree.nodes.values() if not node.metadata.pruned]
    assert living == ["", "Once", " upon"]
    desk.check()
    desk.undo()
    assert desk.text == "Once upon a time there"


def test_a_passage_that_is_pruned_leaves_a_version_that_a_writer_made(desk: Desk) -> None:
    desk.type("Once ")
    desk.generate(" upon")
    desk.type("Twice", at=0, end=4)
    desk.desk.commit()

    desk.document.commit(node_marks.prune(desk.tree, desk.document.path_ids[1], desk.document.pen()))

    assert desk.text == "Once upon"


def test_spaces_that_a_writer_takes_away_make_a_version(desk: Desk) -> None:
    desk.type("Once ")
    desk.desk.commit()
    desk.type("", at=4, end=5)
    desk.desk.commit()

    assert len(desk.desk.buffer_text.versions(1)) == 2


def test_a_crash_loses_no_words(path: Path, qtbot: QtBot) -> None:
    with create_grove(path) as grove:
        desk = Desk(grove)
        desk.type("Once ")
        desk.desk.commit()
        desk.type("upon")
        desk.desk.commit()
        journal = Journal(desk.document)
        desk.desk.keep_in(journal)
        desk.type("X", at=1, end=7)
        journal.close()

    with open_grove(path) as grove:
        again = Desk(grove)
        journal = Journal(again.document)
        again.desk.keep_in(journal)
        left = again.desk.take_up(journal.recovered(again.tree.loom.id)).begun

        assert left == ()
        assert again.text == "OXon"
        again.desk.commit()
        assert again.said == ["", "OX", "on"]
        again.check()
        journal.close()
        journal = Journal(again.document)
        assert journal.recovered(again.tree.loom.id).begun == ()
        journal.close()


@pytest.mark.parametrize(
    ("start", "end", "place"),
    [(0, 3, 8), (0, 4, 18), (4, 8, 0), (2, 9, 14), (12, 17, 2), (15, 18, 4), (1, 3, 0)],
)
def test_words_that_are_moved_are_one_step_before_they_are_committed_and_after(
    desk: Desk, start: int, end: int, place: int
) -> None:
    for text in ("One ", "two ", "three "):
        desk.type(text)
        desk.desk.commit()
    desk.type("four")
    before = desk.text
    said = before[:start] + before[end:]
    to = place - (end - start if place > start else 0)
    said = said[:to] + before[start:end] + said[to:]
    desk.view = said

    desk.desk.input.moved(start, end, place)

    desk.check()
    desk.undo()
    assert desk.text == before
    desk.redo()
    assert desk.text == said
    steps = len(desk.document.history.steps().steps)
    desk.desk.commit()
    assert len(desk.document.history.steps().steps) == steps + 1
    desk.undo()
    assert desk.text == before


def test_words_for_a_node_that_is_not_read_are_given_back(desk: Desk) -> None:
    desk.type("Once ")
    answers = desk.generate("upon", "a time")
    from loomapp.session.recovery import Recovered

    begun = BegunText("edit", desk.tree.loom.id, answers[1], "a place")

    assert desk.desk.take_up(Recovered(begun=(begun,))).begun == (begun,)


def test_typing_goes_on_a_letter_behind_where_two_passages_were_shortened_at_once(desk: Desk) -> None:
    desk.type("The lamp was lit. ")
    desk.desk.settle()
    desk.type("Nobody came. ")
    desk.desk.settle()
    boundary = len("The lamp was lit")
    desk.type("", at=boundary, end=boundary + 3)

    desk.type("x", at=boundary + 1)

    assert desk.text == "The lamp was litoxbody came. "


def test_a_key_that_begins_another_edit_is_told_once(desk: Desk) -> None:
    desk.type("One. ")
    desk.desk.commit()
    desk.type("Two. ")
    desk.desk.commit()
    desk.type("x", 2)
    told: list[str] = []
    desk.desk.written.connect(lambda: told.append(desk.text))

    desk.type("y", len(desk.view) - 2)

    assert desk.said[-2:] == ["Onxe. ", "Two. "]
    assert told == ["Onxe. Twoy. "]


def test_a_tree_is_renamed_also_where_the_words_that_wait_would_have_been_its_title(desk: Desk) -> None:
    trees, loom_id = desk.document.trees, desk.tree.loom.id
    trees.rename(loom_id, "Loom Tree 1")
    desk.type("It was night.")
    trees.save_loom(replace(desk.tree.loom, system_context="Be brief."))
    assert (desk.tree.loom.title, desk.tree.loom.system_context) == ("It was night.", "Be brief.")

    desk.undo()
    desk.undo()
    assert desk.tree.loom.title == "Loom Tree 1"
    desk.type("It was day.")
    trees.rename(loom_id, "Night watch")

    assert (desk.said, desk.tree.loom.title) == (["", "It was day."], "Night watch")
    assert desk.document.history.undo_label == "Rename"
