"""Whatever is done to a buffer, in whatever order: the text is the path, and nothing is copied or lost."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from PySide6.QtWidgets import QApplication

from loomapp.core.edits import node_marks
from loomapp.core.errors import InvalidInput
from loomapp.core.model.hashes import verify
from loomapp.core.paths.siblings import is_edit_of
from loomapp.core.text.query import find
from loomapp.session.journal.journal import Journal
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.groves import agree, generated
from tests.session.writing.test_buffer_session import Desk

WORDS = st.one_of(
    st.sampled_from(("lamp", " and ", "\n", " ", "the boat ", "e\u0301", "👩‍👩‍👧", "\r\n", "\u2028", "שלום")),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6),
)
PLACES = st.integers(0, 10_000)


@pytest.fixture(autouse=True, scope="module")
def _application(qapp: QApplication) -> QApplication:
    return qapp


class Writer(RuleBasedStateMachine):
    """A writer who does anything at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "g.loom"
        self.hashes: dict[str, tuple[str, str]] = {}
        self.clock_s = 0.0

    @initialize(texts=st.lists(WORDS, max_size=4))
    def begin(self, texts: list[str]) -> None:
        grove = create_grove(self.path)
        self.desk = Desk(grove)
        for text in texts:
            self.desk.type(text)
            self.desk.desk.commit()

    # What is done

    @rule(text=WORDS, at=PLACES, pause=st.booleans())
    def types(self, text: str, at: int, pause: bool) -> None:
        self.clock_s += 2 if pause else 0.1
        self.desk.type(text, at % (len(self.desk.view) + 1), at_s=self.clock_s)

    @rule(text=WORDS)
    def types_on(self, text: str) -> None:
        self.desk.type(text, at_s=self.clock_s)

    @precondition(lambda self: len(self.desk.view) > 0)
    @rule(start=PLACES, length=st.integers(1, 12), text=st.one_of(st.just(""), WORDS))
    def replaces(self, start: int, length: int, text: str) -> None:
        before = self.desk.view
        at = start % len(before)
        end = min(at + length, len(before))
        self.desk.type(text, at, end, at_s=self.clock_s)
        assert self.desk.view == before[:at] + text + before[end:]

    @rule()
    def commits(self) -> None:
        desk, text = self.desk, self.desk.view
        ids, penned = desk.document.path_ids, set(desk.desk.buffer_text.penned)
        nodes, working = set(desk.tree.nodes), desk.desk.working_text

        desk.desk.commit()

        now = desk.document.path_ids
        assert desk.view == text
        assert len(now) == len(ids) + bool(working)
        for was, is_now in zip(ids, now, strict=False):
            assert was == is_now or (was in penned and desk.tree.nodes[is_now].edited_from == was)
        assert desk.tree.nodes.keys() >= nodes
        assert len(desk.tree.nodes) <= len(nodes) + len(penned) + bool(working)
        assert not desk.desk.has_words

    @rule()
    def undoes(self) -> None:
        self.desk.undo()

    @rule()
    def redoes(self) -> None:
        self.desk.redo()

    @rule(times=st.integers(1, 4))
    def undoes_and_redoes(self, times: int) -> None:
        self.desk.desk.commit()
        nodes, edges = set(self.desk.tree.nodes), dict(self.desk.tree.edges)

        undone = sum(self.desk.undo() is not None for _ in range(times))
        for _ in range(undone):
            assert self.desk.redo() is not None

        assert set(self.desk.tree.nodes) == nodes
        assert self.desk.tree.edges == edges

    @rule(text=WORDS, times=st.integers(1, 6))
    def undoes_and_redoes_typing_among_changes(self, text: str, times: int) -> None:
        """What is typed and not committed is taken back first, then changes; they come back in order."""
        self.clock_s += 2
        self.desk.type(text, at_s=self.clock_s)
        desk = self.desk
        before = (desk.view, set(desk.tree.nodes), dict(desk.tree.edges), desk.document.path_ids)
        spans = [desk.desk.buffer_text.spans(place) for place in range(len(desk.desk.buffer_text))]
        undone: list[bool] = []  # of each step, whether it was one of typing
        for _ in range(times):
            is_typing = desk.desk.undo.can_undo_typing
            if desk.undo() is None and not is_typing:
                break
            undone.append(is_typing)
        assert undone == sorted(undone, reverse=True), "nothing is typed before what is a change"

        for was_typing in reversed(undone):
            assert (desk.redo() is None) == was_typing

        assert (desk.view, set(desk.tree.nodes), dict(desk.tree.edges), desk.document.path_ids) == before
        assert [desk.desk.buffer_text.spans(place) for place in range(len(spans))] == spans

    @rule(texts=st.lists(WORDS, min_size=1, max_size=3))
    def generates_at_the_end(self, texts: list[str]) -> None:
        if self.desk.view.strip(" "):
            self.desk.generate(*texts)
            assert self.desk.view.endswith(texts[0])

    @rule(at=PLACES, text=WORDS)
    def generates_in_the_middle(self, at: int, text: str) -> None:
        caret, before = at % (len(self.desk.view) + 1), self.desk.view
        if before[:caret].strip(" ") and caret < len(before):
            self.desk.generate(text, at=caret)
            assert self.desk.view.endswith(text)
            assert before.startswith(self.desk.view[: -len(text)])

    @rule(at=PLACES)
    def splits(self, at: int) -> None:
        text = self.desk.view
        with suppress(InvalidInput):
            self.desk.passages.split_at(at % (len(text) + 1))
        assert self.desk.view == text

    @rule(place=PLACES)
    def merges(self, place: int) -> None:
        self.desk.desk.commit()
        text, ids = self.desk.view, self.desk.document.path_ids

        merged = self.desk.passages.merge_chain(place % len(ids))

        assert self.desk.view == text
        assert len(self.desk.document.path_ids) == len(ids) - merged + 1

    @rule(place=PLACES, text=WORDS)
    def generates_beside(self, place: int, text: str) -> None:
        """What hangs on one version alone: the one that was read."""
        self.desk.desk.commit()
        desk, ids = self.desk, self.desk.document.path_ids
        place %= len(ids)
        above = "".join(desk.said[: place + 1])
        desk.document.place.read(ids[place])
        desk.document.commit(generated(desk.tree, ids[place], [text], desk.hand))
        assert desk.document.path_ids[: place + 1] == ids[: place + 1]
        assert desk.view == above + text

    @rule(place=PLACES, step=st.sampled_from((-1, 1)))
    def chooses_a_sibling(self, place: int, step: int) -> None:
        self.desk.desk.commit()
        desk, ids = self.desk, self.desk.document.path_ids
        place %= len(ids)
        turn = desk.desk.buffer_text.siblings(place)
        desk.passages.step_sibling(place, step)
        now = desk.document.path_ids
        assert now[:place] == ids[:place], "what is above stays"
        assert now[place] == turn.node_ids[(turn.index + step) % turn.count]
        again = desk.desk.buffer_text.siblings(place)
        assert again.count == turn.count, "and the other ways can be come to again"

    @rule(place=PLACES, step=st.sampled_from((-1, 1)))
    def chooses_a_version(self, place: int, step: int) -> None:
        self.desk.desk.commit()
        desk, ids = self.desk, self.desk.document.path_ids
        place %= len(ids)
        versions = desk.desk.buffer_text.versions(place)
        desk.passages.step_version(place, step)
        now = desk.document.path_ids
        assert now[:place] == ids[:place], "what is above stays"
        assert now[place] == versions[(versions.index(ids[place]) + step) % len(versions)]

    @rule(place=PLACES)
    def prunes(self, place: int) -> None:
        """The text ends before what is pruned, or another version of it is read; what is above stays."""
        self.desk.desk.commit()
        desk, ids = self.desk, self.desk.document.path_ids
        place %= len(ids)
        if place == 0:
            return
        was_pruned = {i for i in ids if desk.tree.nodes[i].metadata.pruned}  # undone steps lead there too
        if ids[place] in was_pruned:
            return
        desk.document.commit(node_marks.prune(desk.tree, ids[place], desk.document.pen()))
        now = desk.document.path_ids
        assert now[:place] == ids[:place], "what is above stays"
        stands = desk.tree.nodes[now[place]] if place < len(now) else None
        assert stands is None or is_edit_of(desk.tree, stands.id, ids[place]), "the words do not come back"
        assert not [i for i in now if desk.tree.nodes[i].metadata.pruned and i not in was_pruned]

    @rule(which=PLACES)
    def restores(self, which: int) -> None:
        self.desk.desk.commit()
        desk, text = self.desk, self.desk.view
        pruned = [i for i, node in desk.tree.nodes.items() if node.metadata.pruned]
        if pruned:
            change = node_marks.restore(desk.tree, pruned[which % len(pruned)], desk.document.pen())
            desk.document.commit(change, keeps_current=True)
            assert desk.view == text

    @rule(text=WORDS)
    def finds_and_replaces(self, text: str) -> None:
        before = self.desk.view
        matches = find(before, "a", text)
        self.desk.passages.replace_all(matches)
        for match in reversed(matches):
            before = before[: match.start] + text + before[match.end :]
        assert self.desk.view == before

    @rule()
    def keeps_the_path(self) -> None:
        self.desk.desk.commit()
        text = self.desk.view
        self.desk.passages.keep_path()
        assert self.desk.view == text

    @rule()
    def starts_again(self) -> None:
        desk = self.desk
        desk.desk.commit()
        text, spans = desk.view, [desk.desk.buffer_text.spans(i) for i in range(len(desk.desk.buffer_text))]
        assert agree(desk.grove, desk.tree)
        desk.grove.close()

        self.desk = Desk(open_grove(self.path))

        assert self.desk.view == text
        assert [self.desk.desk.buffer_text.spans(i) for i in range(len(spans))] == spans

    @rule()
    def is_killed(self) -> None:
        """What is no node yet was in the journal, and stands where it stood."""
        desk = self.desk
        journal = Journal(desk.document)
        desk.desk.keep_in(journal)
        journal.close()
        text, left, tree_id = desk.view, desk.desk.uncommitted, desk.tree.loom.id
        desk.grove.close()

        self.desk = Desk(open_grove(self.path))
        journal = Journal(self.desk.document)
        assert self.desk.desk.take_up(journal.recovered(tree_id)).begun == ()
        journal.close()
        shutil.rmtree(drafts_folder(self.path), ignore_errors=True)  # each time it is another session

        now = self.desk.desk.uncommitted
        assert self.desk.view == text
        said = {i: typed.text for i, typed in left.penned.items() if typed.text != desk.tree.nodes[i].text}
        assert {i: typed.text for i, typed in now.penned.items()} == said
        assert all(typed.pieces == left.penned[i].pieces for i, typed in now.penned.items())
        assert now.working == left.working

    # What holds all the time

    @invariant()
    def the_text_is_the_path(self) -> None:
        if hasattr(self, "desk"):
            self.desk.check()

    @invariant()
    def no_node_ever_changes_and_all_verify(self) -> None:
        if hasattr(self, "desk"):
            tree = self.desk.tree
            for node in tree.nodes.values():
                facts = (node.content_hash, node.text)
                assert self.hashes.setdefault(node.id, facts) == facts
            found = verify(tree, self.desk.grove.digests(tree.loom.id))
            assert not [one for one in found if one.verdict != "ok"]

    def teardown(self) -> None:
        """In the end the file says all of it too."""
        if hasattr(self, "desk"):
            self.starts_again()
            found = verify_tree(self.desk.grove, self.desk.tree.loom.id)
            self.desk.grove.close()
            assert not [one for one in found if one.verdict != "ok"]
        self.folder.cleanup()


QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
TestWriter = pytest.mark.timeout(600)(Writer.TestCase)  # seconds, but for the search of the least failure
TestWriter.settings = settings(
    max_examples=5, stateful_step_count=15, deadline=None, suppress_health_check=QUIET
)


class LongWriter(Writer):
    """The same for longer."""


TestLongWriter = pytest.mark.slow(pytest.mark.timeout(2400)(LongWriter.TestCase))
TestLongWriter.settings = settings(
    max_examples=150, stateful_step_count=50, deadline=None, suppress_health_check=QUIET
)
