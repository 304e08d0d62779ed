"""A ghost on offer, and every action there is: what is shown is never lost, and undo goes back in order.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QMenu
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.edits.undo import BEGINNING
from loomapp.core.generation.provider import Finished, Provider, Request, Stop, StreamEvent, TextDelta
from loomapp.core.model.change import Change, apply
from loomapp.core.model.tree import Tree
from loomapp.providers import registry
from loomapp.providers.engine.engine import Engine
from loomapp.store.grove.model_agents import CHOSEN
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.actions.action import Action
from loomapp.ui.actions.registry import ACTIONS
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.windows import unseen_window
from tests.session.programs import SCRIPTED
from tests.ui.buffer.test_view import CONTROL, press

ANSWER = " and the oil was cold."
WHOLE = "The lamp was lit"
END, MIDDLE = 16, 12  # where it is asked
TAKEN = "Split"  # the step that taking a word is


class Speaker:
    """A model that always says the same, in this process; it may be held before it ends."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.may_end.set()

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        for index in range(request.n):
            yield TextDelta(index, ANSWER)
            while not (self.may_end.wait(0.01) or stop.requested):
                pass
            yield Finished(index, "stop")


@pytest.fixture
def speaker() -> Speaker:
    return Speaker()


@pytest.fixture
def window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, speaker: Speaker) -> Iterator[MainWindow]:
    def factory(_ref: str, _engine: Engine) -> Provider:
        return speaker

    own = replace(registry.PROVIDERS["local"], name="scripted", make=factory, loads_model=False)
    known = cast("dict[str, registry.InProcessProvider]", registry.PROVIDERS)
    monkeypatch.setitem(known, "scripted", own)
    with create_grove(tmp_path / "g.loom") as grove:
        grove.put_agent(SCRIPTED)
        grove.put_setting(CHOSEN, SCRIPTED.id)
    with unseen_window(tmp_path / "g.loom") as window:
        window.composer.set_count(1)
        window.preferences.put("ghost_preview", True)
        yield window


def story(window: MainWindow) -> Tree:
    """Two passages; the second has another beside it, and a version."""
    pen = window.document.pen()
    tree = tree_edits.new_tree("buffer", "Story", pen)

    def put(change: Change | None) -> str:
        assert change is not None
        apply(tree, change)
        return change.added_nodes()[0].id

    lamp = put(node_edits.add_node(tree, tree.root_id, "The lamp", pen))
    put(node_edits.add_node(tree, lamp, " went out", pen))
    put(
        node_edits.edit_as_version(
            tree, put(node_edits.add_node(tree, lamp, " was dim", pen)), " was lit", pen
        )
    )
    return tree


def offer(window: MainWindow, qtbot: QtBot, at: int, words: int) -> str:
    """A ghost after a place of the text, and words of it taken; the text that it leaves."""
    document, editor = window.document, window.buffer.view.editor
    if document.tree.loom.title != "Story" or editor.text != WHOLE or document.history.undo_label is not None:
        document.add_tree(story(window))
    editor.setFocus()
    editor.set_caret(at)
    window.actions_set.by_name["generate"].trigger()
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert (window.buffer.ghosts.is_on, editor.text, editor.tail_text) == (True, WHOLE[:at], ANSWER)
    for _ in range(words):
        press(window, Qt.Key.Key_Right, CONTROL)
    return WHOLE[:at] + " and" if words else WHOLE


def check_text(window: MainWindow) -> str:
    """The text; it is what the path says."""
    document, text = window.document, window.buffer.view.editor.text
    said = "".join(document.tree.nodes[i].text for i in document.path_ids) + window.writing.working_text
    assert text == window.buffer.text == said
    return text


def walk(window: MainWindow, action: str) -> list[str]:
    """Every text on the way that undo, or redo, goes to its end."""
    seen, step = [check_text(window)], window.actions_set.by_name[action]
    while step.isEnabled():
        step.trigger()
        seen.append(check_text(window))
        assert len(seen) < 20
    return [text for text, _ in groupby(seen)]


def put_away(window: MainWindow) -> None:
    """What an action opened is not the matter here."""
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QDialog | QMenu) and widget.isVisible():
            widget.close()
    window.pages.show_graph()


def check(window: MainWindow, qtbot: QtBot, text: str, act: Callable[[], object]) -> None:
    """What is so after anything was done while a ghost was on offer, that leaves a text."""
    tree_id, run = window.document.tree.loom.id, window.generator.asked_last()

    act()

    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    put_away(window)
    if window.document.tree.loom.id != tree_id:
        window.document.open_tree(tree_id)
    assert window.generator.asked_last() != run or not window.buffer.ghosts.is_on, "it is on offer still"
    document = window.document
    is_step, kept = document.history.undo_label != TAKEN, {node.text for node in document.tree.nodes.values()}
    forth, back = walk(window, "redo"), walk(window, "undo")
    if len(back) > 1:
        assert (back[-1], {*back[1:]} <= {text, WHOLE}) == (WHOLE, True), back
    if text != WHOLE:  # where another path is read, which is no step, what was taken stands beside that
        assert any(seen.startswith(text) for seen in (*forth, *back)) or (not is_step and " and" in kept), (
            back
        )


def check_all(
    window: MainWindow, qtbot: QtBot, at: int, words: int, ways: Mapping[str, Callable[[], object]]
) -> None:
    """Each way on its own, and all that go wrong are told."""
    faults: dict[str, str] = {}
    for name, act in ways.items():
        try:
            check(window, qtbot, offer(window, qtbot, at, words), act)
        except AssertionError as error:
            faults[name] = str(error).splitlines()[0]
    assert not faults


def trigger(window: MainWindow, row: Action) -> None:
    window.actions_set.by_name[row.name].trigger()


def is_enabled(window: MainWindow, row: Action) -> bool:
    return window.actions_set.by_name[row.name].isEnabled()


ACTING = [row for row in ACTIONS if not row.leaves_text and row.name != "quit"]
IN_TEXT = [row for row in ACTING if row.menu not in ("File", "Edit")]
ELSEWHERE = [row for row in ACTING if row not in IN_TEXT]


@pytest.mark.parametrize(
    ("rows", "at", "words"),
    [
        ([*ELSEWHERE, *IN_TEXT[::4]], MIDDLE, 1),  # every action once, and the places in turn
        (IN_TEXT[1::4], END, 1),
        (IN_TEXT[2::4], MIDDLE, 0),
        (IN_TEXT[3::4], END, 0),
        pytest.param(ACTING, MIDDLE, 1, marks=pytest.mark.slow),
        pytest.param(IN_TEXT, END, 1, marks=pytest.mark.slow),
        pytest.param(IN_TEXT, MIDDLE, 0, marks=pytest.mark.slow),
        pytest.param(IN_TEXT, END, 0, marks=pytest.mark.slow),
    ],
)
def test_no_action_loses_what_is_shown_of_a_ghost(
    window: MainWindow, qtbot: QtBot, rows: list[Action], at: int, words: int
) -> None:
    offer(window, qtbot, at, words)
    ways = {row.name: partial(trigger, window, row) for row in rows if is_enabled(window, row)}
    window.buffer.ghosts.dismiss()

    check_all(window, qtbot, at, words, ways)


@pytest.mark.parametrize("words", one_in(2, [1, 0]))
def test_no_action_loses_what_is_shown_of_a_ghost_that_grows(
    window: MainWindow, qtbot: QtBot, speaker: Speaker, words: int
) -> None:
    editor = window.buffer.view.editor
    for name in ("prune", "goRoot", "annotate", "exclude", "splitPassage", "goChild", "nextVersion", "undo"):
        window.document.add_tree(story(window))
        editor.set_caret(MIDDLE)
        speaker.may_end.clear()
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: editor.tail_text.startswith(ANSWER))
        for _ in range(words):
            press(window, Qt.Key.Key_Right, CONTROL)
        if not words:  # it is put away, and goes on in the tree
            speaker.may_end.set()

        text = WHOLE[:MIDDLE] + " and" if words else WHOLE
        check(window, qtbot, text, window.actions_set.by_name[name].trigger)


def test_what_only_shows_something_leaves_a_ghost_on_offer(window: MainWindow, qtbot: QtBot) -> None:
    offer(window, qtbot, MIDDLE, 1)
    shown = (window.buffer.view.editor.text, window.buffer.view.editor.tail_text, window.buffer.tail.taken)
    for row in ACTIONS:
        if row.leaves_text and is_enabled(window, row) and not row.name.endswith("Sibling"):
            trigger(window, row)
            put_away(window)
            assert shown == (
                window.buffer.view.editor.text,
                window.buffer.view.editor.tail_text,
                window.buffer.tail.taken,
            ), row.name


def pointed(window: MainWindow) -> dict[str, Callable[[], object]]:
    """What the pointer can do beside the actions; nodes are found when it is done."""
    margins, graph, bar = window.buffer.view.margins, window.graph, window.side_parts
    document = window.document

    def node(text: str) -> str:
        tree = document.tree
        living = (i for i, one in tree.nodes.items() if one.text == text and not one.metadata.pruned)
        return next(living, tree.root_id)

    def here() -> str:
        return document.path_ids[2]

    def choose_listed() -> None:
        margins.versions_asked.emit(here())
        window.buffer.view.versions.chosen.emit(node(" was dim"))

    return {
        "a version in the margin": lambda: margins.version_turned.emit(here(), -1),
        "a version in the list": choose_listed,
        "a sibling in the margin": lambda: margins.sibling_turned.emit(here(), -1),
        "a card read": lambda: graph.node_activated.emit(node(" went out")),
        "the offered card read": lambda: graph.node_activated.emit(node(ANSWER)),
        "the first card read": lambda: graph.node_activated.emit(node("The lamp")),
        "a crumb": lambda: window.crumbs.crumb_clicked.emit(node("The lamp")),
        "a row of the outline read": lambda: bar.outline.node_activated.emit(node(" went out")),
        "a bookmark": lambda: bar.bookmarks.row_chosen.emit(node(" went out")),
        "a card's plus": lambda: graph.plus_clicked.emit(node("The lamp"), True),
        "the offered card's plus": lambda: graph.plus_clicked.emit(node(ANSWER), False),
        "a card's tool": lambda: graph.tool_clicked.emit(node("The lamp"), "exclude"),
        "the offered card pruned": lambda: graph.tool_clicked.emit(node(ANSWER), "prune"),
        "a branch hung elsewhere": lambda: graph.reparent_asked.emit(
            node(" went out"), document.tree.root_id
        ),
        "the offered branch hung elsewhere": lambda: graph.reparent_asked.emit(
            node(ANSWER), document.tree.root_id
        ),
        "a point of the history": lambda: window.inspector.history.go_asked.emit(BEGINNING),
        "a strategy": lambda: window.inspector.context.strategy_chosen.emit("rollingWindow"),
        "a node found": lambda: window.palette_box.node_chosen.emit(node(" went out")),
        "a title": lambda: window.tree_list.rename_asked.emit(document.tree.loom.id, "Story"),
    }


ALL = slice(None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "words", "some"),
    [
        (MIDDLE, 1, slice(0, None, 3)),  # every click once, and the places in turn
        (END, 1, slice(1, None, 3)),
        (MIDDLE, 0, slice(2, None, 3)),
        pytest.param(MIDDLE, 1, ALL, marks=pytest.mark.slow),
        pytest.param(END, 1, ALL, marks=pytest.mark.slow),
        pytest.param(MIDDLE, 0, ALL, marks=pytest.mark.slow),
    ],
)
def test_no_click_loses_what_is_shown_of_a_ghost(
    window: MainWindow, qtbot: QtBot, at: int, words: int, some: slice
) -> None:
    ways = pointed(window)
    check_all(window, qtbot, at, words, {name: ways[name] for name in list(ways)[some]})


@pytest.mark.slow
@pytest.mark.parametrize("words", one_in(2, [0, 1], first=1))
def test_what_another_program_prunes_while_it_is_offered_takes_nothing_from_the_text(
    window: MainWindow, qtbot: QtBot, words: int
) -> None:
    text, document = offer(window, qtbot, MIDDLE, words), window.document
    [answer] = [i for i, node in document.tree.nodes.items() if node.text == ANSWER]
    with open_grove(document.grove.path) as grove:
        tree = grove.load_tree(document.tree.loom.id)
        pruned = node_marks.prune(tree, answer, edit_context.EditContext(grove.owner.id, now(), new_id))
        assert pruned is not None
        grove.commit(tree, pruned)

    document.catch_up()

    qtbot.waitUntil(lambda: window.buffer.view.editor.text == text)
    assert (check_text(window), window.buffer.view.editor.tail_text) == (text, "")
