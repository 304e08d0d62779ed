"""Random writing in a buffer beside a plain string: after every undo and redo the text is what it was."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.generation.assemble_request import gets_answers
from loomapp.core.paths import resolve
from loomapp.providers import registry
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, fails
from tests.ui.buffer.test_view import writing

ACTS = {
    "type_words": 6,
    "delete_words": 2,
    "generate": 4,
    "generate_in_vain": 2,
    "retry": 3,
    "retry_in_vain": 1,
    "split": 2,
    "mark": 2,
    "exclude": 1,
    "prune": 1,
    "settle": 1,
    "undo": 7,
    "redo": 4,
}


@dataclass(frozen=True)
class Seen:
    """What a writer sees: the text, and how many passages are marked, left out and pruned."""

    text: str
    marked: int
    excluded: int
    pruned: int


@dataclass(frozen=True)
class Step:
    """What was done, and what was seen before it. Words that are typed become one step when they are kept."""

    name: str
    before: Seen


class Day:
    """A writer at a window, with a plain memory of all that was seen."""

    def __init__(self, seed: int, window: MainWindow, server: FakeServer, qtbot: QtBot) -> None:
        self.chance, self.window, self.server, self.qtbot = random.Random(seed), window, server, qtbot
        self.editor, self.document = window.buffer.view.editor, window.document
        self.numbers = itertools.count(1)
        self.done: list[Step] = []
        self.undone: list[tuple[list[Step], Seen]] = []
        self.covered: list[tuple[list[Step], Seen]] = []  # what was undone before words were written over it
        self.covered_at = 0  # how much was done then
        self.history: list[str] = []
        server.scripts = [self._answer]
        self.answer = ""

    def act(self) -> None:
        """Something."""
        (name,) = self.chance.choices(list(ACTS), list(ACTS.values()))
        self.history.append(f"{name} at {self.editor.caret}")
        self.window.text_pane.errors.clear()
        getattr(self, name)()
        self.check()

    def check(self) -> None:
        """The editor says what the path says, with what is written in it; and so does the file."""
        document, buffer_text = self.document, self.window.writing.buffer_text
        assert document.path_ids == resolve.resolve(document.tree, document.tree.path.leaf_id).node_ids
        penned = buffer_text.penned
        said = "".join(
            penned[i].text if i in penned else document.tree.nodes[i].text for i in document.path_ids
        )
        assert self.editor.text == said + buffer_text.working.text
        assert not self.editor.tail_text

    def seen(self) -> Seen:
        """What is seen now."""
        tree = self.document.tree
        flags = [(tree.family(node_id), node.metadata) for node_id, node in tree.nodes.items()]
        return Seen(  # a version is left out as what it was made of is
            self.editor.text,
            len({family for family, one in flags if one.bookmarked}),
            len({family for family, one in flags if one.excluded}),
            len({family for family, one in flags if one.pruned}),
        )

    # Acts

    def type_words(self) -> None:
        """Words at some place; the writer stays there."""
        at = self._go()
        before, words = self.seen(), f"w{next(self.numbers)} "
        self.editor.put(words)
        self.window.writing.input.end_step()
        self._did("type", before)
        assert self.editor.text == before.text[:at] + words + before.text[at:]

    def delete_words(self) -> None:
        """A stretch of the text, over whatever it goes."""
        before = self.seen()
        if before.text:
            at = self.chance.randrange(len(before.text))
            end = min(len(before.text), at + self.chance.randint(1, 12))
            self.editor.select(at, end)
            self.editor.put("")
            self.window.writing.input.end_step()
            self._did("type", before)
            assert self.editor.text == before.text[:at] + before.text[end:]

    def generate(self) -> None:
        """From some place."""
        at = self._go()
        self._ask("generate", self.editor.text[:at])

    def retry(self) -> None:
        """Another way on in the place of some passage of a model, or behind one of a person."""
        self._go()
        if self.document.current_id != self.document.tree.root_id and self._can("generateSiblings"):
            self._ask("generateSiblings", self._up_to_retried())

    def generate_in_vain(self) -> None:
        """The server says no."""
        self._go()
        self._ask_in_vain("generate")

    def retry_in_vain(self) -> None:
        """Likewise."""
        self._go()
        if self.document.current_id != self.document.tree.root_id and self._can("generateSiblings"):
            self._ask_in_vain("generateSiblings")

    def split(self) -> None:
        """At some place."""
        self._go()
        self._step("splitPassage")

    def mark(self) -> None:
        """The passage of the caret."""
        self._go()
        self._step("bookmark")

    def exclude(self) -> None:
        """The passage of the caret."""
        self._go()
        self._step("exclude")

    def prune(self) -> None:
        """The passage of the caret, and what follows it."""
        self._go()
        self._step("prune")

    def settle(self) -> None:
        """The writer rests."""
        before = self.seen()
        assert self.window.writing.settle()
        assert self.seen() == before

    def undo(self) -> None:
        """What was done last is gone, and nothing else."""
        if not self.done:
            assert not self._can("undo")
            return
        before, taken = self.seen(), []
        if not self._can("undo"):
            assert {step.name for step in self.done} == {"type"}
            assert self.done[0].before == before, "all of it came to nothing"
            self.done.clear()
            return
        self._trigger("undo")
        now = self.seen()
        while self.done:
            taken.append(self.done.pop())
            is_one = taken[-1].before == now
            goes_on = taken[-1].name == "type" and self.done and self.done[-1].name == "type"
            is_nothing = taken[-1].before == before  # words that were typed and deleted again
            if is_one or not (goes_on or is_nothing):
                break
        assert taken[-1].before == now, f"{[step.name for step in taken]}: {taken[-1].before} {now}"
        self.undone.append((taken, before))

    def redo(self) -> None:
        """What was taken back last is there again."""
        if not self.undone:
            self._redo_covered()
            return
        taken, seen = self.undone.pop()
        self._trigger("redo")
        self.done += reversed(taken)
        assert self.seen() == seen, f"redo {[step.name for step in taken]}"

    # Behind them

    def _redo_covered(self) -> None:
        """Words that came to nothing before they were a step stand in the place of nothing."""
        if self._can("redo"):
            assert not self.window.writing.has_words
            before = self.seen()
            self._trigger("redo")
            now = self.seen()
            while self.covered and self.covered[-1][1] != now:  # words that were taken back before these
                self.covered.pop()
            if not self.covered:
                assert now == before, "a passage that was split where nothing could be sent"
                return
            taken, _ = self.covered.pop()
            self.done[self.covered_at :] = reversed(taken)
            self.undone, self.covered = self.covered, []

    def _go(self) -> int:
        """To some place of the text, its end more often than others."""
        at = self.chance.choice((len(self.editor.text), self.chance.randint(0, len(self.editor.text))))
        self.editor.set_caret(at)
        self.history[-1] += f" → {self.editor.caret}"
        return self.editor.caret

    def _up_to_retried(self) -> str:
        """The text before what a model wrote, or up to the end of what a person did."""
        buffer_text = self.window.writing.buffer_text
        passage = buffer_text.passage_at(self.editor.caret)
        if passage.node_id is None and not buffer_text.working.text:  # behind the last one
            passage = buffer_text.passage(passage.place - 1)
        is_gone_on = passage.node_id is None or gets_answers(self.document.tree, passage.node_id)
        return self.editor.text[: passage.end if is_gone_on else passage.start]

    def _can(self, name: str) -> bool:
        return self.window.actions_set.by_name[name].isEnabled()

    def _trigger(self, name: str) -> None:
        assert self._can(name), name
        self.window.actions_set.by_name[name].trigger()

    def _steps(self) -> int:
        return sum(step.state == "done" for step in self.document.history.steps().steps)

    def _did(self, name: str, before: Seen) -> None:
        if name == "type":
            self.covered_at = self.covered_at if self.covered else len(self.done)
            self.covered += self.undone
        else:
            self.covered = []
        self.done.append(Step(name, before))
        self.undone = []

    def _step(self, name: str) -> None:
        before = self.seen()
        assert self.window.writing.settle()
        steps = self._steps()
        if self._can(name):
            self.window.actions_set.by_name[name].trigger()
        if self._steps() > steps:
            self._did(name, before)
        else:
            assert self.seen() == before

    def _ask(self, name: str, kept: str) -> None:
        before, self.answer = self.seen(), f"a{next(self.numbers)} "
        self._trigger(name)
        self.qtbot.waitUntil(lambda: not self.window.generator.is_streaming())
        said = self.window.text_pane.errors.text
        if said and "began without a space" not in said:  # nothing that could be sent
            assert self.seen() == before
            self._forget_redo()
            return
        self._did(name, before)
        assert self.editor.text == kept + self.answer

    def _ask_in_vain(self, name: str) -> None:
        before = self.seen()
        self.server.scripts = [fails(400)]
        self._trigger(name)
        self.qtbot.waitUntil(lambda: not self.window.generator.is_streaming())
        self.server.scripts = [self._answer]
        assert self.seen() == before
        self._forget_redo()
        for draft in self.window.generator.drafts(self.document.tree.loom.id):
            self.window.generator.answers.dismiss(draft.key)

    def _forget_redo(self) -> None:
        """A passage that was split for nothing stands in the place of what was undone, or words do."""
        if not self._can("redo") or self.document.history.redo_label == "Split":
            self.undone = []
            self.covered = []

    def _answer(self, conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk(self.answer) + chunk(reason="stop") + DONE)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(fails(400)) as server:
        yield server


def live(tmp_path: Path, qtbot: QtBot, server: FakeServer, seed: int, acts: int) -> None:
    with writing(tmp_path / f"{seed}.loom", qtbot, server, "w0 ") as window:
        day = Day(seed, window, server, qtbot)
        window.writing.input.end_step()
        day.done.append(Step("type", Seen("", 0, 0, 0)))
        try:
            for _ in range(acts):
                day.act()
        except Exception:
            print(f"seed {seed}", *day.history, sep="\n")
            raise


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_nothing_is_lost_and_nothing_comes_out_of_its_order(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, seed: int
) -> None:
    live(tmp_path, qtbot, server, seed, 20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 60))
def test_nothing_is_lost_in_longer_days(tmp_path: Path, qtbot: QtBot, server: FakeServer, seed: int) -> None:
    live(tmp_path, qtbot, server, seed, 60)
