"""Retry on each kind of node, by its button, the menu of its card, the key and the palette.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QSpinBox, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Image, Text
from loomapp.core.model.entities import EdgeSource
from loomapp.providers import registry
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands import palette, panes
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.growing import Growing, grown
from tests.kit.desktop import Pointer
from tests.kit.families import each_once, one_in
from tests.kit.find import find
from tests.kit.servers.fake_server import FakeServer, answers, fails
from tests.kit.windows import card, fit_all, open_window
from tests.session.programs import SCRIPTED, ask_server

ANSWER = "It is salt."
WAYS = ("button", "menu", "key", "palette")
SIBLINGS, ANSWERS = "Retry (generate siblings)", "Generate sibling answers to this one"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(answers(ANSWER)) as server:
        yield server


@pytest.fixture
def grow(tmp_path: Path, server: FakeServer) -> Iterator[Callable[..., Growing]]:
    """Makes the tree of a test, in a grove whose model answers from the server."""
    with create_grove(tmp_path / "g.loom") as grove:
        ask_server(grove, server.url)

        yield partial(grown, grove)


def one_answer(window: MainWindow) -> None:
    find(window.composer, QSpinBox, "continuationCount").setValue(1)


def retry(window: MainWindow, qtbot: QtBot, pointer: Pointer, node_id: str, way: str) -> None:
    """Press Retry for a node in one of the ways."""
    document = window.document
    if way == "button":
        pointer.click(retry_button(window, qtbot, pointer, node_id))
        return
    document.place.set_current(node_id)
    if way == "key":
        panes.focus_graph(window.bench)
        pointer.key("ctrl+shift+Return")
    elif way == "menu":
        fit_all(window, qtbot)
        pointer.click(window.graph.viewport(), card(window, node_id), button=3)
        qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = cast(QMenu, QApplication.activePopupWidget())
        [action] = [one for one in menu.actions() if one.objectName() == "generateSiblings"]
        pointer.click(menu, menu.actionGeometry(action).center())
    else:
        window.activateWindow()
        pointer.key("ctrl+shift+p")
        qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
        pointer.type_ascii("generate siblings")
        pointer.key("Return")


def retry_button(window: MainWindow, qtbot: QtBot, pointer: Pointer, node_id: str) -> QToolButton:
    """The button of a message, once the pointer is over it."""
    if node_id not in window.document.path:
        window.document.place.read_through(node_id)
    window.dialogue.reveal(node_id)
    qtbot.waitUntil(lambda: window.dialogue.message(node_id) is not None)
    message = window.dialogue.message(node_id)
    assert message is not None
    pointer.move(window.composer)
    pointer.move(message, QPoint(message.width() // 2, 12))
    qtbot.waitUntil(lambda: message.findChild(QToolButton, "retryButton") is not None)
    return find(message, QToolButton, "retryButton")


def answered(window: MainWindow, qtbot: QtBot, before: set[str]) -> str:
    """The node that came."""
    nodes = window.document.tree.nodes
    qtbot.waitUntil(lambda: not window.generator.is_streaming() and set(nodes) != before)
    [new] = set(nodes) - before
    return new


def above(window: MainWindow, node_id: str) -> tuple[str, ...]:
    return tuple(window.document.tree.incoming(node_id)[0].with_role("primary"))


@pytest.mark.parametrize("way", one_in(4, WAYS, first=1))
def test_on_what_a_model_wrote_it_brings_a_sibling_from_the_same_sources(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer, way: str
) -> None:
    made = grow()
    root = made.tree.root_id
    rule = made.add(
        node_edits.attach(made.tree, [Text("In French.")], EditContext(made.grove.owner.id, now(), new_id))
    )
    sources = (EdgeSource(root), EdgeSource(rule, "instruction"))
    answer = made.answer(root, "Wide.", sources=sources)

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        before = set(window.document.tree.nodes)
        retry(window, qtbot, pointer, answer, way)
        new = answered(window, qtbot, before)

        assert window.document.tree.incoming(new)[0].sources == sources


@pytest.mark.parametrize(("way", "which"), each_once(WAYS, ["the first", "a later one"]))
def test_on_a_message_of_a_person_it_brings_an_answer_to_it(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer, way: str, which: str
) -> None:
    made = grow()
    asked = made.tree.root_id
    answer = made.answer(asked, "Wide.")
    if which == "a later one":
        asked = made.write(answer, "How wide?")
        answer = made.answer(asked, "Very.")

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        before = set(window.document.tree.nodes)
        retry(window, qtbot, pointer, asked, way)
        new = answered(window, qtbot, before)

        assert above(window, new) == (asked,)
        assert window.document.tree.children(asked) == (answer, new)


@pytest.mark.slow
def test_the_entry_is_named_for_what_it_makes_and_the_start_of_a_full_tree_is_not_called_empty(
    grow: Callable[..., Growing], qtbot: QtBot
) -> None:
    made = grow(text="")
    asked = made.write(made.tree.root_id, "How wide?")
    answer = made.answer(asked, "Very.")

    with open_window(made.grove.path, qtbot) as window:
        entry = window.actions_set.by_name["generateSiblings"]

        window.document.place.set_current(answer)
        assert entry.text() == "Retry (generate siblings)"
        window.document.place.set_current(asked)
        assert entry.text() == "Generate sibling answers to this one"
        window.document.place.set_current(made.tree.root_id)
        assert not entry.isEnabled()
        assert "where the tree starts" in entry.toolTip()


def a_note(made: Growing) -> tuple[str, str]:
    answer = made.answer(made.tree.root_id, "Wide.")
    return made.do(
        lambda tree, pen: node_edits.annotate(tree, answer, "Is it?", pen)
    ), "A note is not answered"


def a_note_of_a_note(made: Growing) -> tuple[str, str]:
    note, _ = a_note(made)
    return made.do(lambda tree, pen: node_edits.annotate(tree, note, "Ask.", pen)), "A note is not answered"


def below_what_is_pruned(made: Growing) -> tuple[str, str]:
    asked = made.write(made.tree.root_id, "How wide?")
    answer = made.answer(asked, "Wide.")
    made.do(lambda tree, pen: node_marks.prune(tree, asked, pen))
    made.do(lambda tree, pen: node_marks.restore(tree, answer, pen))
    return answer, "What comes before this is deleted"


def the_first_by_a_model(made: Growing) -> tuple[str, str]:
    root = made.tree.nodes[made.tree.root_id]
    loose = made.add(
        node_edits.attach(made.tree, [root.content], EditContext(SCRIPTED.id, now(), new_id, "model"))
    )
    return loose, "Nothing comes before this"


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", one_in(2, [a_note, a_note_of_a_note, below_what_is_pruned, the_first_by_a_model])
)
def test_where_nothing_can_be_asked_every_way_to_it_is_off_and_says_why(
    grow: Callable[..., Growing],
    qtbot: QtBot,
    pointer: Pointer,
    server: FakeServer,
    case: Callable[[Growing], tuple[str, str]],
) -> None:
    made = grow()
    node_id, why = case(made)

    with open_window(made.grove.path, qtbot) as window:
        nodes = set(window.document.tree.nodes)
        button = retry_button(window, qtbot, pointer, node_id)
        assert not button.isEnabled()
        assert why in button.toolTip()
        pointer.click(button)

        window.document.place.set_current(node_id)
        action = window.actions_set.by_name["generateSiblings"]
        assert not action.isEnabled()
        assert why in action.toolTip()
        [entry] = [one for one in palette.actions(window.bench) if one.key == "generateSiblings"]
        assert why in entry.why_not
        panes.focus_graph(window.bench)
        pointer.key("ctrl+shift+Return")
        pointer.key("s")

        assert set(window.document.tree.nodes) == nodes
        assert server.received == []
        assert window.text_pane.errors.text == ""


@pytest.mark.slow
def test_in_an_empty_tree_it_is_off_and_says_why(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer, server: FakeServer
) -> None:
    made = grow(text="")

    with open_window(made.grove.path, qtbot) as window:
        action = window.actions_set.by_name["generateSiblings"]

        assert not action.isEnabled()
        assert "still empty" in action.toolTip()
        pointer.key("ctrl+shift+Return")
        assert server.received == []


@pytest.mark.slow
@pytest.mark.parametrize("case", one_in(2, ["of a model", "of a person"]))
def test_a_pruned_message_that_is_shown_gets_siblings_but_no_answers(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer, case: str
) -> None:
    made = grow()
    write = made.answer if case == "of a model" else made.write
    node = write(made.tree.root_id, "Wide.")
    made.do(lambda tree, pen: node_marks.prune(tree, node, pen))

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        window.display.set_show_pruned(True)
        before = set(window.document.tree.nodes)
        window.document.place.set_current(node)
        action = window.actions_set.by_name["generateSiblings"]
        if case == "of a person":
            assert not action.isEnabled()
            assert "restore it first" in action.toolTip()
            return
        retry(window, qtbot, pointer, node, "key")
        new = answered(window, qtbot, before)

        assert above(window, new) == (made.tree.root_id,)
        assert not window.document.tree.nodes[new].metadata.pruned


@pytest.mark.slow
def test_an_edited_answer_counts_as_the_answer_that_it_was(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow()
    answer = made.answer(made.tree.root_id, "Wide.")
    edited = made.do(lambda tree, pen: node_edits.edit_as_sibling(tree, answer, "Wide and grey.", pen))

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        before = set(window.document.tree.nodes)
        retry(window, qtbot, pointer, edited, "button")

        assert above(window, answered(window, qtbot, before)) == (made.tree.root_id,)


@pytest.mark.slow
def test_an_image_of_a_person_gets_answers_and_so_does_a_loose_text(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow()
    picture = made.do(
        lambda tree, pen: node_edits.add_content(tree, tree.root_id, Image("0" * 64, "image/png", 8, 8), pen)
    )
    loose = made.do(lambda tree, pen: node_edits.attach(tree, [Text("The tide turns at six.")], pen))

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        for node_id in (picture, loose):
            before = set(window.document.tree.nodes)
            retry(window, qtbot, pointer, node_id, "key")

            assert above(window, answered(window, qtbot, before)) == (node_id,)


@pytest.mark.slow
def test_it_works_beside_an_answer_that_still_streams(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow()
    root = made.tree.root_id

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        retry(window, qtbot, pointer, root, "key")
        retry(window, qtbot, pointer, root, "key")
        qtbot.waitUntil(lambda: not window.generator.is_streaming())
        nodes = window.document.tree.nodes
        qtbot.waitUntil(lambda: len(nodes) == 3)

        assert len(window.document.tree.children(root)) == 2


def body(server: FakeServer) -> str:
    """What was sent last."""
    return server.received[-1].body.decode()


@pytest.mark.slow
def test_passages_of_a_person_are_gone_on_from_and_those_of_a_model_get_siblings(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer, server: FakeServer
) -> None:
    texts = ["The lamp was lit.", " The sea was calm.", " A gull cried.", " He wrote."]
    made = grow("buffer", texts[0])
    first = made.tree.root_id
    second = made.write(first, texts[1])
    third = made.answer(second, texts[2])
    fourth = made.write(third, texts[3])
    cases = (
        (3, first, ANSWERS, texts[:1]),
        (22, second, ANSWERS, texts[:2]),
        (40, second, SIBLINGS, texts[:2]),
        (55, fourth, ANSWERS, texts),
    )

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        editor = window.buffer.view.editor
        for caret, expected, name, said in cases:
            before = set(window.document.tree.nodes)
            window.document.place.read(fourth)
            editor.set_caret(caret)
            assert window.actions_set.by_name["generateSiblings"].text() == name
            editor.setFocus()
            pointer.key("ctrl+shift+Return")

            assert above(window, answered(window, qtbot, before)) == (expected,)
            assert "".join(said) in body(server)
            assert not any(text in body(server) for text in texts[len(said) :])


@pytest.mark.slow
@pytest.mark.parametrize("before", one_in(2, ["", "The lamp was lit."]))
def test_words_at_the_end_of_a_buffer_are_saved_and_gone_on_from(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer, server: FakeServer, before: str
) -> None:
    made = grow("buffer", before)
    leaf = made.answer(made.tree.root_id, " A gull cried.") if before else made.tree.root_id

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        entry = window.actions_set.by_name["generateSiblings"]
        editor = window.buffer.view.editor
        editor.setFocus()
        editor.set_caret(len(editor.text))
        assert entry.isEnabled() == bool(before)
        pointer.type_ascii("He wrote")
        qtbot.waitUntil(lambda: editor.text.endswith("He wrote"))
        assert entry.isEnabled()
        assert entry.text() == ANSWERS
        if before:
            pointer.key("ctrl+Home")
            qtbot.waitUntil(lambda: window.document.current_id == made.tree.root_id)
            pointer.key("ctrl+End")
            qtbot.waitUntil(lambda: entry.text() == ANSWERS)
        pointer.key("ctrl+shift+Return")
        qtbot.waitUntil(lambda: ANSWER in window.document.path.nodes[-1].text)
        qtbot.waitUntil(lambda: not window.generator.is_streaming())

        *_, written, answer = window.document.path_ids
        assert window.document.tree.nodes[written].text == "He wrote"
        assert above(window, written) == (leaf,)
        assert above(window, answer) == (written,)
        assert "He wrote" in body(server)


@pytest.mark.slow
def test_of_several_versions_above_the_one_that_is_read_is_asked_again(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow("buffer", "")
    first = made.write(made.tree.root_id, "The lamp was lit.")
    answer = made.answer(first, " It was cold.")
    version = made.do(lambda tree, pen: node_edits.edit_as_version(tree, first, "The lamp was out.", pen))
    path = replace(made.tree.path, selections={answer: first})
    chosen = Change(
        made.tree.loom.id, "Choose path", now(), (RowChange(made.tree.path, path),), undoable=False
    )
    made.grove.commit(made.tree, chosen)

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        before = set(window.document.tree.nodes)
        window.buffer.view.editor.set_caret(22)
        window.actions_set.by_name["generateSiblings"].trigger()

        assert above(window, answered(window, qtbot, before)) == (first,)
        assert version in window.document.tree.nodes


@pytest.mark.slow
def test_a_failed_answer_is_asked_again_on_its_card(
    grow: Callable[..., Growing], qtbot: QtBot, pointer: Pointer, server: FakeServer
) -> None:
    made = grow()
    server.scripts = [fails(400), answers(ANSWER)]

    with open_window(made.grove.path, qtbot) as window:
        one_answer(window)
        root = made.tree.root_id
        before = set(window.document.tree.nodes)
        retry(window, qtbot, pointer, root, "key")
        drafts = window.generator.drafts
        tree_id = window.document.tree.loom.id
        qtbot.waitUntil(lambda: any(live.draft.error is not None for live in drafts(tree_id)))
        fit_all(window, qtbot)
        [failed] = drafts(tree_id)
        pointer.click(window.graph.viewport(), window.graph.tool_rect(failed.key, "retry").center())

        assert above(window, answered(window, qtbot, before)) == (root,)
