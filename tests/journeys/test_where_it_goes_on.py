"""What is written and generated next lands under a living node that is shown, whatever was pruned before.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QApplication, QSpinBox
from pytestqt.qtbot import QtBot

from loomapp.core.edits import branches, edit_context, node_edits, node_marks
from loomapp.core.edits.undo import BEGINNING
from loomapp.core.errors import LoomError
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Mode
from loomapp.providers import registry
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands import node_actions
from loomapp.ui.commands.save.save import save_message
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.growing import Growing, grown
from tests.kit import chance
from tests.kit.desktop import Pointer
from tests.kit.families import each_once, one_in
from tests.kit.find import find
from tests.kit.servers.fake_server import Conversation, FakeServer, answers
from tests.kit.windows import card, fit_all, open_window, unseen_window
from tests.session.programs import ask_server

STEPS = 70


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(answers("Grey.")) as server:
        yield server


@pytest.fixture
def grow(tmp_path: Path, server: FakeServer, qapp: QApplication) -> Iterator[Callable[..., Growing]]:
    with create_grove(tmp_path / "g.loom") as grove:
        ask_server(grove, server.url)
        yield partial(grown, grove)


class Talk:
    """A question, an answer that is read with what follows it, and one beside it."""

    def __init__(self, made: Growing) -> None:
        self.path = made.grove.path
        self.tree_id = made.tree.loom.id
        self.question = made.tree.root_id
        self.beside = made.answer(self.question, "Wide.")
        self.below = made.write(self.beside, "How wide?")
        self.read = made.answer(self.question, "Salt.")
        self.end = made.write(self.read, "How salt?")


def is_shown(window: MainWindow, node_id: str) -> bool:
    """A node has a card, or is read."""
    window.graph.node_ids()  # what is to be laid out is
    return window.graph._scene.row_of(node_id) is not None or node_id in window.document.path


def check(window: MainWindow) -> None:
    """What would be continued is there, and is seen; so is the end of the path."""
    document, nodes = window.document, window.document.tree.nodes
    for node_id in (document.current_id, document.tree.path.leaf_id):
        assert node_id in nodes
        is_pruned = nodes[node_id].metadata.pruned and node_id != document.tree.root_id
        assert not is_pruned or window.display.is_showing_pruned, nodes[node_id].text
        assert is_shown(window, node_id), nodes[node_id].text
    assert window.graph.current_node_id == document.current_id
    assert document.place.path_error is None
    assert document.path_ids[-1] == document.tree.path.leaf_id


def parents(window: MainWindow, node_id: str) -> tuple[str, ...]:
    return tuple(window.document.tree.incoming(node_id)[0].with_role("primary"))


def test_after_delete_on_a_card_beside_the_path_one_writes_on_at_the_end_of_what_is_read(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer
) -> None:
    talk = Talk(grow())
    with open_window(talk.path, qtbot) as window:
        find(window.composer, QSpinBox, "continuationCount").setValue(2)
        fit_all(window, qtbot)
        before = set(window.document.tree.nodes)

        pointer.click(window.graph.viewport(), card(window, talk.beside))
        qtbot.waitUntil(lambda: window.document.current_id == talk.beside)
        pointer.key("Delete")
        qtbot.waitUntil(lambda: window.document.tree.nodes[talk.beside].metadata.pruned)
        assert window.document.current_id == talk.end
        pointer.click(window.composer.field)
        pointer.type_ascii("Why salt?")
        pointer.key("ctrl+Return")
        nodes = window.document.tree.nodes
        qtbot.waitUntil(lambda: not window.generator.is_streaming() and len(nodes) == len(before) + 3)

        asked = next(i for i in nodes if i not in before and nodes[i].text == "Why salt?")
        assert parents(window, asked) == (talk.end,)
        assert {parents(window, i) for i in set(nodes) - before - {asked}} == {(asked,)}
        assert set(nodes) - before <= set(window.graph.node_ids())
        check(window)


def prune(window: MainWindow, node_id: str) -> None:
    window.document.place.set_current(node_id)
    window.actions_set.by_name["prune"].trigger()


def by_the_action(window: MainWindow, talk: Talk) -> str:
    prune(window, talk.beside)
    return talk.end


def of_several_cards(window: MainWindow, talk: Talk) -> str:
    window.document.place.set_current(talk.below)
    window.graph.choose([talk.below, talk.beside])
    window.actions_set.by_name["prune"].trigger()
    return talk.end


def of_a_branch_above(window: MainWindow, talk: Talk) -> str:
    window.document.place.set_current(talk.below)
    document = window.document
    document.commit(node_marks.prune(document.tree, talk.beside, document.pen()))
    return talk.end


def of_the_path(window: MainWindow, talk: Talk) -> str:
    prune(window, talk.end)
    return talk.read


def where_pruned_ones_are_shown(window: MainWindow, talk: Talk) -> str:
    window.actions_set.by_name["showPrunedAction"].trigger()
    prune(window, talk.beside)
    return talk.end


def done_again(window: MainWindow, talk: Talk) -> str:
    prune(window, talk.beside)
    window.actions_set.by_name["undo"].trigger()
    window.document.place.set_current(talk.beside)
    window.actions_set.by_name["redo"].trigger()
    return talk.end


def by_taking_back_that_it_was_restored(window: MainWindow, talk: Talk) -> str:
    prune(window, talk.beside)
    window.display.set_show_pruned(True)
    window.document.place.set_current(talk.beside)
    window.actions_set.by_name["restore"].trigger()
    window.display.set_show_pruned(False)
    window.document.place.read(talk.below)
    window.actions_set.by_name["undo"].trigger()
    return talk.question


def by_going_back_in_the_history(window: MainWindow, talk: Talk) -> str:
    prune(window, talk.beside)
    point = window.document.history.steps().present
    window.actions_set.by_name["undo"].trigger()
    window.document.place.read(talk.below)
    window.document.walk.go(point, lambda _: None)
    return talk.question


def when_pruned_ones_are_hidden_again(window: MainWindow, talk: Talk) -> str:
    window.display.set_show_pruned(True)
    prune(window, talk.beside)
    window.document.place.read(talk.below)
    assert window.document.path_ids[-1] == talk.below
    window.actions_set.by_name["showPrunedAction"].trigger()
    return talk.question


def by_going_back_to_where_one_was(window: MainWindow, talk: Talk) -> str:
    window.document.place.set_current(talk.end)
    window.document.place.set_current(talk.beside)
    window.document.place.set_current(talk.end)
    document = window.document
    document.commit(node_marks.prune(document.tree, talk.beside, document.pen()))
    window.actions_set.by_name["visitBack"].trigger()
    return talk.end


def by_choosing_it(window: MainWindow, talk: Talk) -> str:
    prune(window, talk.beside)
    window.document.place.set_current(talk.end)
    window.document.place.set_current(talk.below)
    return talk.question


def by_reading_it(window: MainWindow, talk: Talk) -> str:
    prune(window, talk.beside)
    window.document.place.read(talk.below)
    window.document.place.read_through(talk.beside)
    return window.document.path_ids[-1]


CASES = (
    by_the_action,
    of_several_cards,
    of_a_branch_above,
    of_the_path,
    where_pruned_ones_are_shown,
    done_again,
    by_taking_back_that_it_was_restored,
    by_going_back_in_the_history,
    when_pruned_ones_are_hidden_again,
    by_going_back_to_where_one_was,
    by_choosing_it,
    by_reading_it,
)


@pytest.mark.slow
@pytest.mark.parametrize("prune_it", one_in(4, CASES))
def test_a_living_node_of_the_path_is_current_once_another_is_out_of_sight(
    grow: Callable[..., Growing], prune_it: Callable[[MainWindow, Talk], str]
) -> None:
    talk = Talk(grow())
    with unseen_window(talk.path) as window:
        expected = prune_it(window, talk)

        assert window.document.current_id == expected
        check(window)


@pytest.mark.slow
@pytest.mark.parametrize("is_writing", [False, True])
def test_what_another_program_prunes_is_no_longer_gone_on_from(
    grow: Callable[..., Growing], is_writing: bool
) -> None:
    made = grow()
    talk = Talk(made)
    with unseen_window(talk.path) as window:
        if is_writing:
            window.composer.set_text("Why?")
        made.do(lambda tree, pen: node_marks.prune(tree, talk.read, pen))
        made.read(talk.end)  # whatever that program reads now
        window.document.catch_up()

        assert window.document.current_id == talk.question
        check(window)
        assert window.composer.text == ("Why?" if is_writing else "")


@pytest.mark.slow
def test_a_draft_is_found_again_where_it_can_be_seen(grow: Callable[..., Growing]) -> None:
    made = grow()
    talk = Talk(made)
    with unseen_window(talk.path) as window:
        window.document.place.set_current(talk.below)
        window.composer.set_text("Why?")
    made.grove.catch_up(made.tree)
    made.do(lambda tree, pen: node_marks.prune(tree, talk.beside, pen))

    with unseen_window(talk.path) as window:
        assert window.composer.text == "Why?"
        assert window.document.current_id == talk.question


@pytest.mark.slow
def test_a_tree_that_ends_at_a_pruned_node_opens_at_a_living_one(grow: Callable[..., Growing]) -> None:
    made = grow()
    talk = Talk(made)
    made.do(lambda tree, pen: node_marks.prune(tree, talk.read, pen))
    made.read(talk.end)
    with unseen_window(talk.path) as window:
        assert window.document.current_id == talk.question
        check(window)

        window.document.new_tree("dialogue")
        made.read(talk.end)
        window.document.open_tree(talk.tree_id)

        assert window.document.current_id == talk.question
        check(window)


@pytest.mark.slow
def test_answers_to_what_was_pruned_while_they_came_are_part_of_it(
    grow: Callable[..., Growing], server: FakeServer, qtbot: QtBot
) -> None:
    talk = Talk(grow())
    pruned = threading.Event()

    def waits(conversation: Conversation) -> None:
        pruned.wait(20)
        answers("Grey.")(conversation)

    server.scripts = [waits]
    with unseen_window(talk.path) as window:
        find(window.composer, QSpinBox, "continuationCount").setValue(1)
        before = set(window.document.tree.nodes)
        window.document.place.set_current(talk.beside)
        node_actions.continue_node(window.bench, talk.beside)
        prune(window, talk.beside)
        pruned.set()
        nodes = window.document.tree.nodes
        qtbot.waitUntil(lambda: not window.generator.is_streaming() and set(nodes) != before)

        [new] = set(nodes) - before
        assert parents(window, new) == (talk.beside,)
        assert nodes[new].metadata.pruned
        check(window)
        window.display.set_show_pruned(True)
        window.document.place.set_current(talk.beside)
        window.actions_set.by_name["restore"].trigger()
        assert not nodes[new].metadata.pruned


@pytest.mark.slow
def test_folding_over_the_current_card_beside_the_path_leaves_one_at_the_fold(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer
) -> None:
    talk = Talk(grow())
    with open_window(talk.path, qtbot) as window:
        fit_all(window, qtbot)
        window.document.place.set_current(talk.below)
        window.graph.turn_fold(talk.beside)
        assert window.document.current_id == talk.beside
        check(window)

        window.graph.unfold_all()
        window.document.place.set_current(talk.end)
        window.graph.turn_fold(talk.question)
        assert window.document.current_id == talk.end, "it is read, and the text says what goes on"


@pytest.mark.slow
def test_a_selection_holds_nothing_that_is_out_of_sight(grow: Callable[..., Growing]) -> None:
    made = grow()
    talk = Talk(made)
    with unseen_window(talk.path) as window:
        window.graph.choose([talk.beside, talk.below, talk.end])
        made.do(lambda tree, pen: node_marks.prune(tree, talk.beside, pen))
        window.document.catch_up()
        assert window.graph.chosen_ids == [talk.end]

        window.display.set_show_pruned(True)
        window.graph.choose([talk.below, talk.end])
        window.display.set_show_pruned(False)
        assert window.graph.chosen_ids == [talk.end]


@pytest.mark.slow
def test_in_a_buffer_the_version_that_is_read_takes_the_place_of_a_pruned_one(
    grow: Callable[..., Growing],
) -> None:
    made = grow("buffer", "")
    first = made.write(made.tree.root_id, "The lamp was lit. ")
    end = made.write(first, "Nobody came.")
    version = made.do(lambda tree, pen: node_edits.edit_as_version(tree, first, "The lamp was out. ", pen))
    with unseen_window(made.grove.path) as window:
        document = window.document
        assert document.path_ids == (made.tree.root_id, version, end)
        document.place.set_current(version)
        document.commit(node_marks.prune(document.tree, version, document.pen()))

        assert document.path_ids == (made.tree.root_id, first, end)
        check(window)


def with_passages(made: Growing) -> list[str]:
    """Four nodes of a path, each below the one before."""
    ids = [made.tree.root_id]
    for text in ("The lamp was lit. ", "Nobody came. ", "The sea rose. ", "It fell."):
        ids.append(made.write(ids[-1], text))
    return ids[1:]


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "again"), each_once(["dialogue", "buffer"], [False, True]))
def test_undo_of_a_prune_brings_the_reader_back_to_where_he_was(
    grow: Callable[..., Growing], mode: Mode, again: bool
) -> None:
    made = grow(mode, "")
    first, second, third, end = with_passages(made)
    with unseen_window(made.grove.path) as window:
        document = window.document
        for node_id in (third, second):
            document.place.set_current(node_id)
            node_actions.prune(window.bench)
        assert document.path_ids[-1] == first == document.current_id
        if again:
            node_actions.undo(window.bench)
            node_actions.redo(window.bench)
            assert document.current_id == first

        node_actions.undo(window.bench)
        assert (document.current_id, document.path_ids[-1]) == (second, second)
        node_actions.undo(window.bench)

        assert (document.current_id, document.path_ids[-1]) == (third, end)
        check(window)


@pytest.mark.slow
@pytest.mark.parametrize("mode", one_in(2, ["dialogue", "buffer"]))
def test_undo_of_a_prune_after_a_restart_goes_to_what_was_pruned(
    grow: Callable[..., Growing], mode: Mode
) -> None:
    made = grow(mode, "")
    _, second, _, end = with_passages(made)
    with unseen_window(made.grove.path) as window:
        window.document.place.set_current(second)
        node_actions.prune(window.bench)
    with unseen_window(made.grove.path) as window:
        node_actions.undo(window.bench)

        assert (window.document.current_id, window.document.path_ids[-1]) == (second, end)
        check(window)


@pytest.mark.slow
def test_in_a_buffer_undo_of_a_prune_puts_the_caret_into_what_came_back(grow: Callable[..., Growing]) -> None:
    made = grow("buffer", "")
    _, second, _, _ = with_passages(made)
    with unseen_window(made.grove.path) as window:
        editor = window.buffer.view.editor
        window.buffer.place.put_caret(editor.text.index("came"))
        assert window.document.current_id == second
        node_actions.prune(window.bench)
        assert editor.text == "The lamp was lit. "

        node_actions.undo(window.bench)

        assert editor.caret == editor.text.index("Nobody")
        assert window.document.current_id == second


# Random walks


class Walker:
    """Does anything a person or another program can do to where one is, in a window that nobody sees."""

    def __init__(self, seed: int, window: MainWindow, other: Grove, server: FakeServer, qtbot: QtBot) -> None:
        self.chance = random.Random(seed)
        self.window, self.other, self.server, self.qtbot = window, other, server, qtbot
        self.theirs = other.load_tree(window.document.tree.loom.id)
        self.done: list[str] = []

    def step(self) -> None:
        names = [name for name in dir(self) if name.startswith("do_")]
        name = self.chance.choice(names)
        self.done.append(name)
        try:
            getattr(self, name)()
        except LoomError:
            self.done.append("(refused)")
        self.window.text_pane.errors.clear()

    # What it does

    def do_click(self) -> None:
        self.window.graph.node_clicked.emit(self._seen())

    def do_read(self) -> None:
        self.window.graph.node_activated.emit(self._seen())

    def do_select(self) -> None:
        seen = self.window.graph.node_ids()
        self.window.graph.choose(self.chance.sample(seen, min(len(seen), self.chance.randint(0, 3))))

    def do_prune(self) -> None:
        self._act("prune")

    do_prune_again = do_prune

    def do_prune_any(self) -> None:
        document, node_id = self.window.document, self._any()
        if node_id != document.tree.root_id:
            document.commit(node_marks.prune(document.tree, node_id, document.pen()))

    def do_restore(self) -> None:
        self._act("restore")

    def do_restore_any(self) -> None:
        document = self.window.document
        document.commit(node_marks.restore(document.tree, self._any(), document.pen()))

    def do_show_pruned(self) -> None:
        self._act("showPrunedAction")

    def do_write(self) -> None:
        document = self.window.document
        if self.window.buffer.is_on:
            self.window.buffer.put(f" {self._words()}")
            self.window.writing.settle()
            return
        at, before = document.current_id, set(document.tree.nodes)
        self.window.composer.set_text(self._words())
        save_message(self.window.bench, partial(lambda: None))
        [new] = set(document.tree.nodes) - before
        assert parents(self.window, new) == (at,)

    def do_generate(self) -> None:
        window = self.window
        window.composer.set_count(self.chance.randint(1, 2))
        self._act("generate")
        if self.chance.random() < 0.5:
            self.chance.choice([self.do_prune, self.do_click, self.do_others_prune])()
        self.qtbot.waitUntil(lambda: not window.generator.is_streaming())

    def do_retry(self) -> None:
        self._act("generateSiblings")
        self.qtbot.waitUntil(lambda: not self.window.generator.is_streaming())

    def do_edit(self) -> None:
        document, node_id = self.window.document, self._seen()
        make = node_edits.edit_as_version if self.window.buffer.is_on else node_edits.edit_as_sibling
        document.commit(make(document.tree, node_id, self._words(), document.pen()))

    def do_note(self) -> None:
        document = self.window.document
        document.commit(node_edits.annotate(document.tree, self._seen(), self._words(), document.pen()))

    def do_move(self) -> None:
        document = self.window.document
        document.commit(branches.reparent(document.tree, self._seen(), self._seen(), document.pen()))

    def do_split(self) -> None:
        self._at_a_caret("splitPassage")

    def do_merge(self) -> None:
        self._at_a_caret("mergeWithParent")

    def do_keep_path(self) -> None:
        self._act("keepPath")

    def do_undo(self) -> None:
        self._act("undo")

    do_undo_again = do_undo

    def do_redo(self) -> None:
        self._act("redo")

    def do_go_to_a_point(self) -> None:
        listed = [
            step.sequence for step in self.window.document.history.steps().steps if step.state != "abandoned"
        ]
        self.window.document.walk.go(self.chance.choice([*listed, BEGINNING]), lambda _: None)

    def do_walk(self) -> None:
        self._act(
            self.chance.choice(["goParent", "goChild", "nextSibling", "goLeaf", "goRoot", "nextVersion"])
        )

    def do_visit(self) -> None:
        self._act(self.chance.choice(["visitBack", "visitForward"]))

    def do_fold(self) -> None:
        self.window.graph.turn_fold(self._seen())

    def do_hoist(self) -> None:
        self._act(self.chance.choice(["hoist", "unhoist", "unfoldAll"]))

    def do_others_prune(self) -> None:
        self._others(lambda node_id, pen: node_marks.prune(self.theirs, node_id, pen))

    def do_others_write(self) -> None:
        self._others(lambda node_id, pen: node_edits.add_node(self.theirs, node_id, self._words(), pen))

    def do_others_read(self) -> None:
        self._others(lambda node_id, pen: node_edits.choose_path(self.theirs, node_id, pen))

    def do_others_undo(self) -> None:
        self.other.catch_up(self.theirs)
        self.chance.choice([self.other.undo, self.other.redo])(self.theirs)
        self.window.document.catch_up()

    def do_words(self) -> None:
        if not self.window.buffer.is_on:
            self.window.composer.set_text(self.chance.choice(["", self._words()]))

    def do_jump(self) -> None:
        document = self.window.document
        jumps: list[Callable[[str], None]] = [
            document.place.set_current,
            document.place.read,
            document.place.read_through,
        ]
        self.chance.choice(jumps)(self._any())

    # Behind it

    def _words(self) -> str:
        return f"word {self.chance.randrange(10**6)}"

    def _seen(self) -> str:
        return self.chance.choice(self.window.graph.node_ids())

    def _any(self) -> str:
        return self.chance.choice(list(self.window.document.tree.nodes))

    def _act(self, name: str) -> None:
        self.window.actions_set.refresh()
        self.window.actions_set.by_name[name].trigger()

    def _at_a_caret(self, name: str) -> None:
        if self.window.buffer.is_on:
            editor = self.window.buffer.view.editor
            editor.set_caret(self.chance.randint(0, len(editor.text)))
            self._act(name)

    def _others(self, make: Callable[[str, edit_context.EditContext], Change | None]) -> None:
        self.other.catch_up(self.theirs)
        node_id = self.chance.choice(list(self.theirs.nodes))
        if node_id != self.theirs.root_id:
            change = make(node_id, edit_context.EditContext(self.other.owner.id, now(), new_id, by="another"))
            if change is not None:
                self.other.commit(self.theirs, change)
        self.window.document.catch_up()


@pytest.mark.parametrize("mode", ["dialogue", "buffer"])
@pytest.mark.parametrize("fixed", one_in(3, [3, 17, 29]))
def test_whatever_is_done_the_next_words_land_where_they_are_seen(
    grow: Callable[..., Growing], server: FakeServer, qtbot: QtBot, mode: Mode, fixed: int
) -> None:
    walk(grow(mode, "" if mode == "buffer" else "What is the sea?"), server, qtbot, chance.seed(fixed), STEPS)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", ["dialogue", "buffer"])
@pytest.mark.parametrize("number", range(30))
def test_the_same_for_long_walks(
    grow: Callable[..., Growing], server: FakeServer, qtbot: QtBot, mode: Mode, number: int
) -> None:
    walk(grow(mode, ""), server, qtbot, chance.seed(101) + number, STEPS * 4)


def walk(made: Growing, server: FakeServer, qtbot: QtBot, seed: int, steps: int) -> None:
    first = made.write(made.tree.root_id, "Salt. ")
    made.write(first, "How salt? ")
    with ExitStack() as stack:
        other = stack.enter_context(open_grove(made.grove.path))
        window = stack.enter_context(unseen_window(made.grove.path))
        walker = Walker(seed, window, other, server, qtbot)
        try:
            for _ in range(steps):
                walker.step()
                check(window)
        finally:
            print(" ".join(walker.done))
