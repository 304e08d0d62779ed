"""Which actions can be used when: every action in every state, as a person would expect it.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.app import window_on
from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.providers import registry
from loomapp.providers.engine.state import Absent
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.actions.registry import ACTIONS
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import show_active
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.servers.fake_server import Conversation, FakeServer
from tests.kit.windows import open_window
from tests.session.programs import ask_server

STATES = ("no tree", "empty tree", "streaming", "read only", "no model")

# A grove without any tree gets its first one when it is opened, so "no tree" is one that can only be read.
# "Empty tree" has no message yet. In "streaming" the last message is being answered. In "read only" and "no
# model" there is a question with two answers, the first of them current; a last act was undone.
#
# Generate stays open where nothing is to be sent or the model is missing: pressing it says what is missing,
# or fetches it. What only looks works everywhere.
EXPECTED = {
    #                    no tree, empty, streaming, read only, no model
    "newDialogue":       "-  y  y  -  y",
    "newBuffer":         "-  y  y  -  y",
    "newDocument":       "-  y  y  -  y",
    "treeSettings":      "-  y  y  y  y",
    "settings":          "y  y  y  y  y",
    "openGrove":         "y  y  y  y  y",
    "newGrove":          "y  y  y  y  y",
    "openRecent":        "y  y  y  y  y",
    "restoreBackup":     "y  y  y  y  y",
    "backUpNow":         "-  y  y  y  y",
    "checkGrove":        "-  y  y  y  y",
    "importTree":        "-  y  y  -  y",
    "exportTree":        "-  y  y  y  y",
    "exportEvidence":    "-  y  y  y  y",
    "agents":            "y  y  y  y  y",
    "endpoints":         "y  y  y  y  y",
    "usage":             "y  y  y  y  y",
    "otherPrograms":     "y  y  y  y  y",
    "quit":              "y  y  y  y  y",
    "undo":              "-  -  y  -  y",
    "redo":              "-  -  -  -  y",
    "copyText":          "-  -  y  y  y",
    "findInPath":        "y  y  y  y  y",
    "searchGrove":       "y  y  y  y  y",
    "commandPaletteAction":"y  y  y  y  y",
    "commandsAction":    "y  y  y  y  y",
    "graphDirection":    "y  y  y  y  y",
    "moveOverview":      "y  y  y  y  y",
    "fold":              "-  -  -  y  y",
    "unfoldAll":         "y  y  y  y  y",
    "hoist":             "y  y  y  y  y",
    "unhoist":           "-  -  -  -  -",
    "peek":              "y  y  y  y  y",
    "pinPreview":        "y  y  y  y  y",
    "fitAll":            "y  y  y  y  y",
    "fitSelection":      "y  y  y  y  y",
    "zoomIn":            "y  y  y  y  y",
    "zoomOut":           "y  y  y  y  y",
    "zoomFull":          "y  y  y  y  y",
    "showPrunedAction":  "y  y  y  y  y",
    "toggleTheme":       "y  y  y  y  y",
    "toggleSideBar":     "y  y  y  y  y",
    "swapSides":         "y  y  y  y  y",
    "foldInspector":     "y  y  y  y  y",
    "history":           "y  y  y  y  y",
    "contextInspector":  "y  y  y  y  y",
    "showSources":       "y  y  y  y  y",
    "showSent":          "-  -  -  -  -",
    "sinceLast":         "-  y  y  y  y",
    "focusGraph":        "y  y  y  y  y",
    "focusText":         "y  y  y  y  y",
    "focusInspector":    "y  y  y  y  y",
    "focusOutline":      "y  y  y  y  y",
    "focusDocuments":    "y  y  y  y  y",
    "openMenus":         "y  y  y  y  y",
    "cycleFocus":        "y  y  y  y  y",
    "focusMode":         "y  y  y  y  y",
    "visitBack":         "-  -  y  y  y",
    "visitForward":      "-  -  -  -  -",
    "goParent":          "-  -  y  y  y",
    "goChild":           "-  -  -  y  y",
    "goChild1":          "-  -  -  y  y",
    **{f"goChild{number}": "-  -  -  -  -" for number in range(2, 10)},
    "previousSibling":   "-  -  -  y  y",
    "nextSibling":       "-  -  -  y  y",
    "previousVersion":   "-  -  -  -  -",
    "nextVersion":       "-  -  -  -  -",
    "previousFork":      "-  -  y  y  y",
    "nextFork":          "-  -  y  y  y",
    "nextUnread":        "-  -  -  -  -",
    "goRoot":            "-  -  y  y  y",
    "goLeaf":            "-  -  y  y  y",
    "readHere":          "y  y  y  y  y",
    **{f"walk{way}":     "y  y  y  y  y" for way in ("Left", "Right", "Up", "Down")},
    **{f"extend{way}":   "y  y  y  y  y" for way in ("Left", "Right", "Up", "Down")},
    "edit":              "-  -  y  -  y",
    "bookmark":          "-  -  y  -  y",
    "bookmarkAs":        "-  -  y  -  y",
    "tag":               "-  -  y  -  y",
    "exclude":           "-  -  y  -  y",
    "attachFiles":       "-  y  y  -  y",
    "excludeBranch":     "-  -  y  -  y",
    "attachContext":     "-  -  y  -  y",
    "attachInstruction": "-  -  y  -  y",
    "annotate":          "-  -  y  -  y",
    "summariseHere":     "-  -  y  -  y",
    "compactBranch":     "-  -  y  -  y",
    "includeNote":       "-  -  -  -  -",
    "openDocument":      "-  -  -  -  -",
    "nameBranch":        "-  -  y  -  y",
    "reparent":          "-  -  y  -  y",
    "splitPassage":      "-  -  -  -  -",
    "mergeWithParent":   "-  -  -  -  -",
    "mergeChain":        "-  -  -  -  -",
    "keepPath":          "-  -  -  -  -",
    "compare":           "-  -  -  -  -",
    "compareSent":       "-  -  -  -  -",
    "prune":             "-  -  -  -  y",
    "restore":           "-  -  -  -  -",
    "generate":          "-  y  y  -  y",
    "addMessage":        "-  y  y  -  y",
    "addBeside":         "-  -  y  -  y",
    "generateAll":       "-  -  -  -  -",
    "fillIn":            "-  -  -  -  -",
    "fillsIn":           "-  -  -  -  -",
    "whatIf":            "-  y  y  y  y",
    "generateSiblings":  "-  -  y  -  y",
    "stop":              "-  -  y  -  -",
    "stopAll":           "-  -  y  -  -",
    "showKeys":          "y  y  y  y  y",
    "showLog":           "y  y  y  y  y",
    "about":             "y  y  y  y  y",
}  # fmt: skip


def expected(state: str) -> dict[str, bool]:
    return {name: row.split()[STATES.index(state)] == "y" for name, row in EXPECTED.items()}


def found(window: MainWindow) -> dict[str, bool]:
    return {name: window.actions_set.by_name[name].isEnabled() for name in EXPECTED}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


def commit(grove: Grove, tree: Tree, make: Callable[[edit_context.EditContext], Change | None]) -> str:
    """Commit an edit; the id of the node that it made, if any."""
    change = make(edit_context.EditContext(grove.owner.id, now(), new_id))
    assert change is not None
    grove.commit(tree, change)
    return next((node.id for node in change.added_nodes()), "")


def ask_and_answer(path: Path) -> None:
    """A question with two answers and something below the first, which is read; a bookmark was undone."""
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        tree = tree_edits.new_tree("dialogue", "Birds", pen)
        grove.add_tree(tree, [grove.owner])
        question = commit(
            grove, tree, lambda pen: node_edits.add_node(tree, tree.root_id, "Name a bird.", pen)
        )
        wren = commit(grove, tree, lambda pen: node_edits.add_node(tree, question, "Wren.", pen))
        commit(grove, tree, lambda pen: node_edits.add_node(tree, question, "Lark.", pen))
        commit(grove, tree, lambda pen: node_edits.add_node(tree, wren, "Why?", pen))
        commit(grove, tree, lambda pen: node_marks.bookmark(tree, wren, None, pen))
        grove.undo(tree)


@contextmanager
def read_window(path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A window on a grove that is only read."""
    window = window_on(read_grove(path))
    show_active(qtbot, window)
    try:
        yield window
    finally:
        window.close()
        window.deleteLater()


def go_to(window: MainWindow, text: str) -> None:
    nodes = window.document.tree.nodes.values()
    window.document.place.set_current(next(node.id for node in nodes if node.text == text))


def test_the_table_names_every_action() -> None:
    assert {row.name for row in ACTIONS} == set(EXPECTED)
    assert {len(row.split()) for row in EXPECTED.values()} == {len(STATES)}


def test_where_there_is_no_tree_one_can_look_around_and_leave(path: Path, qtbot: QtBot) -> None:
    create_grove(path).close()
    before = path.read_bytes()

    with read_window(path, qtbot) as window:
        assert found(window) == expected("no tree")
        for name in [name for name, is_on in found(window).items() if is_on]:
            if name not in ("quit", "about"):
                window.actions_set.by_name[name].trigger()
        assert window.text_pane.errors.text == ""
        assert not find(window.tree_list, QToolButton, "newTreeButton").isEnabled()

    assert path.read_bytes() == before


def test_in_an_empty_tree(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        assert found(window) == expected("empty tree")


def test_while_an_answer_is_being_written(path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(conversation: Conversation) -> None:
        conversation.wait_until_left()

    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    ask_and_answer(path)
    with FakeServer(silent) as server:
        with open_grove(path) as grove:
            ask_server(grove, server.url)
        with open_window(path, qtbot) as window:
            go_to(window, "Why?")
            window.composer.set_text("And where?")
            window.actions_set.by_name["generate"].trigger()
            qtbot.waitUntil(window.actions_set.by_name["stop"].isEnabled)  # what is asked shows a turn later

            assert found(window) == expected("streaming")

            window.actions_set.by_name["stop"].trigger()
            qtbot.waitUntil(lambda: not window.generator.is_streaming())
            assert not window.actions_set.by_name["stop"].isEnabled()
            assert find(window.status, QLabel, "statusNote").text().startswith("Stopped before")


@pytest.mark.slow
def test_in_a_grove_that_is_only_read(path: Path, qtbot: QtBot) -> None:
    ask_and_answer(path)

    with read_window(path, qtbot) as window:
        go_to(window, "Wren.")

        assert found(window) == expected("read only")
        assert not find(window.tree_list, QToolButton, "newTreeButton").isEnabled()


@pytest.mark.slow
def test_without_a_model(path: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOMAPP_MODEL_DIR", str(tmp_path / "no models"))
    ask_and_answer(path)

    with open_window(path, qtbot) as window:
        go_to(window, "Wren.")

        assert isinstance(window.generator.engine_watch.state, Absent)
        assert found(window) == expected("no model")


@pytest.mark.slow
@pytest.mark.parametrize("read_only", one_in(2, [False, True]))
def test_on_a_note_and_on_a_pruned_branch(path: Path, qtbot: QtBot, read_only: bool) -> None:
    ask_and_answer(path)
    with open_grove(path) as grove:
        tree = grove.load_tree(grove.trees()[0].id)
        ids = {node.text: node.id for node in tree.nodes.values()}
        commit(grove, tree, lambda pen: node_edits.annotate(tree, ids["Wren."], "Or a robin?", pen))
        commit(grove, tree, lambda pen: node_marks.prune(tree, ids["Lark."], pen))
    opened = read_window if read_only else open_window

    with opened(path, qtbot) as window:
        go_to(window, "Wren.")
        why = window.actions_set.why_not("includeNote")
        assert ("Select the note itself" in why) is not read_only
        assert "Ctrl+click two cards" in find(window.text_pane, QToolButton, "compareButton").toolTip()
        go_to(window, "Or a robin?")
        on_note = {name for name, is_on in found(window).items() if is_on}
        if not read_only:
            edit_note(window, "Or a robin?", "A robin.")
        window.display.set_show_pruned(True)
        go_to(window, "Lark.")
        on_pruned = {name for name, is_on in found(window).items() if is_on}

    said_of_a_node = {"edit", "bookmark", "exclude", "annotate", "includeNote", "prune", "restore"}
    note = set() if read_only else {"edit", "bookmark", "exclude", "includeNote", "prune"}
    pruned = set() if read_only else {"edit", "bookmark", "exclude", "annotate", "restore"}
    assert on_note & said_of_a_node == note
    assert on_pruned & said_of_a_node == pruned


def edit_note(window: MainWindow, text: str, other: str) -> None:
    """Edit the current note in the field of notes: another stands in its place."""
    editor = window.text_pane.note_box.editor
    window.actions_set.by_name["edit"].trigger()
    assert editor.text == text

    editor.field.setPlainText(other)
    editor.on_save()

    tree = window.document.tree
    assert tree.nodes[window.document.current_id].text == other
    assert [node.text for node in tree.nodes.values() if node.metadata.pruned] == ["Lark.", text]


def test_one_key_closes_the_settings_and_then_there_is_nothing_to_stop(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        stop = window.actions_set.by_name["stop"]
        window.actions_set.by_name["treeSettings"].trigger()
        assert stop.isEnabled()

        stop.trigger()

        assert not window.pages.is_showing_settings
        assert not stop.isEnabled()
        side, text = find(window, QWidget, "sideBar"), find(window, QWidget, "textDock")
        for is_swapped in (True, False):
            window.actions_set.by_name["swapSides"].trigger()
            qtbot.waitUntil(lambda wanted=is_swapped: (text.x() < side.x()) == wanted)  # type: ignore[misc]
