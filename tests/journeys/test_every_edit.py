"""Undo and redo through everything that can be done to a tree, over restarts and another program's change."""

from __future__ import annotations

import inspect
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Node
from loomapp.providers import registry
from loomapp.session.workspace import Workspace
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.ui.commands import node_actions, remedies, send
from loomapp.ui.commands.save import save
from loomapp.ui.window.main_window import MainWindow
from loomapp.ui.workbench import Command
from tests.kit.families import one_in
from tests.kit.processes.outside import loomapp
from tests.kit.servers.fake_server import FakeServer, answers
from tests.kit.windows import open_window
from tests.session.programs import ask_server

ANSWER_TIMEOUT_MS = 60_000
State = list[list[tuple[bytes, ...]]]
Step = tuple[str, Callable[[MainWindow, QtBot], None]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(answers("An answer.")) as server:
        yield server


def by_text(work: MainWindow | Workspace, text: str) -> Node:
    return next(node for node in work.document.tree.nodes.values() if node.text == text)


def at(text: str, command: Command) -> Callable[[MainWindow, QtBot], None]:
    """A command on the node with this text."""

    def do(window: MainWindow, _: QtBot) -> None:
        window.document.place.set_current(by_text(window, text).id)
        command(window.bench)

    return do


def asking(text: str, command: Command, composer: str = "") -> Callable[..., None]:
    """A command that asks the model, and its answer awaited."""

    def do(window: MainWindow, qtbot: QtBot) -> None:
        window.document.place.read(by_text(window, text).id)
        if window.buffer.is_on and composer:  # that is written in its own text
            window.buffer.view.editor.set_caret(len(window.buffer.text))
            window.buffer.view.editor.put(composer)
        else:
            window.composer.set_text(composer)
        window.composer.set_count(1)
        command(window.bench)
        qtbot.waitUntil(lambda: not window.generator.is_streaming(), timeout=ANSWER_TIMEOUT_MS)

    return do


def edited(text: str, new: str) -> Callable[[MainWindow, QtBot], None]:
    return lambda window, _: save.save_edit(window.bench, by_text(window, text).id, new)


def attached(text: str) -> Callable[[MainWindow, QtBot], None]:
    def do(window: MainWindow, _: QtBot) -> None:
        document = window.document
        document.commit(node_edits.attach(document.tree, [Text(text)], document.pen()))

    return do


def sent_in_full(text: str) -> Callable[[MainWindow, QtBot], None]:
    def do(window: MainWindow, _: QtBot) -> None:
        remedies.mend(window.bench, by_text(window, text).id, "sendInFull")

    return do


def set_settings(window: MainWindow, _: QtBot) -> None:
    save.save_loom(window.bench, replace(window.document.tree.loom, system_context="You are a poet."))


STEPS: tuple[Step, ...] = (
    ("generate", asking("Hello.", node_actions.generate, "Name a bird.")),
    ("generate_siblings", asking("An answer.", node_actions.generate_siblings)),
    ("retry", asking("An answer.", lambda w: node_actions.retry(w, by_text(w.work, "An answer.").id))),
    ("ask_model", asking("Hello.", lambda w: send.ask_model(w, Sources(w.work.document.current_id)))),
    (
        "continue_node",
        asking("Hello.", lambda w: node_actions.continue_node(w, by_text(w.work, "Hello.").id)),
    ),
    ("save_edit", edited("Name a bird.", "Name a fish.")),
    ("toggle_bookmark", at("Name a bird.", node_actions.toggle_bookmark)),
    ("toggle_bookmark", at("Name a bird.", node_actions.toggle_bookmark)),
    (
        "toggle_bookmark_of",
        at("An answer.", lambda w: node_actions.toggle_bookmark_of(w, w.work.document.current_id)),
    ),
    ("toggle_excluded", at("An answer.", node_actions.toggle_excluded)),
    (
        "set_excluded",
        at("An answer.", lambda w: node_actions.set_excluded(w, w.work.document.current_id, False)),
    ),
    (
        "toggle_excluded_of",
        at("Name a fish.", lambda w: node_actions.toggle_excluded_of(w, w.work.document.current_id)),
    ),
    ("add_note", at("An answer.", lambda w: save.add_note(w, w.work.document.current_id, "A note."))),
    ("toggle_note_included", at("A note.", node_actions.toggle_note_included)),
    ("toggle_note", at("A note.", lambda w: node_actions.toggle_note(w, w.work.document.current_id))),
    ("name_branch", at("An answer.", lambda w: save.name_branch(w, w.work.document.current_id, "Birds"))),
    (
        "save_summary",
        at("An answer.", lambda w: save.save_summary(w, w.work.document.current_id, "It is a wren.")),
    ),
    ("send_in_full", sent_in_full("An answer.")),
    ("attach", attached("A file.")),
    ("prune", at("Name a fish.", node_actions.prune)),
    ("restore", at("Name a fish.", node_actions.restore)),
    ("save_loom", set_settings),
)
LABELS = {  # of each edit, by which the log shows that it was made
    "add_node": "Write",
    "add_aside": "Write",  # by an agent, which leaves the path where it is
    "add_content": "Write",
    "attach": "Attach",
    "edit_as_sibling": "Edit",
    "edit_as_version": "Edit",
    "annotate": "Note",
    "include_annotation": "Include note in context",
    "exclude": "Exclude",
    "include": "Include",
    "bookmark": "Bookmark",
    "bookmark_plainly": "Bookmark",
    "toggle_bookmarks": "Bookmark",
    "remove_bookmarks": "Remove bookmark",
    "prune": "Prune",
    "prune_branches": "Prune",
    "prune_all": "Prune",
    "restore": "Restore",
    "restore_all": "Restore",
    "send_in_full": "Send in full",
    "change_loom": "Tree settings",
    "choose_path": "Choose path",
}
MADE_ELSEWHERE = {"attach", "send_in_full"}  # where files are taken in, and by a row of the context
NEW_TREES = {"new_tree", "tree_from_edited_root"}  # no step of a tree: there is no tree before
NO_STEPS = {"sum_up_node", "sum_up_tree", "with_title", "with_title_of_today", "with_settings_of_today"}
"""Edits that undo does not know, and what fits a step to its tree: tests/core/edits."""
BY_OTHER_PAGES = {"edit_note", "link", "put_tag", "rename_tag", "take_tag"}
"""Steps of notes, agents and the side bar, which their own tests take back and do again."""


def changing(module: object, pattern: str) -> set[str]:
    """The functions of a module in whose text the pattern is found."""
    functions = inspect.getmembers(module, inspect.isfunction)
    return {name for name, function in functions if re.search(pattern, inspect.getsource(function))}


def test_every_command_that_changes_a_tree_is_gone_through_below() -> None:
    makers = "ask_model|toggle_note|toggle_bookmark_of|toggle_excluded_of|set_excluded|continue_node|retry"
    calls = (
        rf"document\.(commit|edit|save_loom|rename|archive|unarchive)\(|generator\.start|\b({makers})\(bench"
    )
    calls += r"|\btext\.(generate|continue_node|retry_node)\("  # of the text that is read

    # What the composer holds is saved by `generate`; titles, documents and cards of summaries are no nodes
    # that are read: tests of their own show that their words are kept.
    words = changing(save, r"unsaved\.saves\(") - {"save_message", "rename", "save_document", "save_card"}
    # The links of an answer hand on to commands that are gone through by themselves.
    commands_that_change = (changing(node_actions, calls) | changing(send, calls)) - {"act_on_draft"}
    assert commands_that_change | words == {name for name, _ in STEPS} - MADE_ELSEWHERE


def test_every_edit_is_gone_through_below() -> None:
    made = {
        name
        for module in (tree_edits, node_edits, node_marks)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and re.search(r"\b(Change|Tree)\b", str(inspect.signature(function).return_annotation))
    }

    assert made - NEW_TREES - NO_STEPS - BY_OTHER_PAGES == set(LABELS)


@pytest.mark.parametrize("mode", one_in(2, ["dialogue", "buffer"]))
def test_all_of_it_can_be_taken_back_and_done_again_to_the_same_bytes(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, mode: str
) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        ask_server(grove, server.url)
    tree_id = loomapp("tree", "new", "--grove", path, "--mode", mode, "--text", "Hello.").split()[0]
    states: list[State | None] = [state(path)]
    with open_window(path, qtbot) as window:
        for name, step in STEPS:
            before = len(window.document.history.steps().steps)
            step(window, qtbot)
            assert window.text_pane.errors.text == "", name
            made = len(window.document.history.steps().steps) - before
            assert made == (2 if name == "generate" else 1), name
            states += [state(path)] if made == 1 else [None, state(path)]
    add = (
        "node",
        "add",
        "--grove",
        path,
        "--tree",
        tree_id,
        "--parent",
        root_of(path),
        "--text",
        "Meanwhile.",
    )
    loomapp(*add)
    states.append(state(path))
    everything = hashes(path)
    logged = {label.decode() for (label,) in rows(path, "SELECT label FROM change_log")}
    assert set(LABELS.values()) <= {re.sub(r" \d+ nodes$", "", label) for label in logged}

    with open_window(path, qtbot) as window:
        undo = window.actions_set.by_name["undo"]
        for wanted in reversed(states[:-1]):
            window.graph.setFocus()
            undo.trigger()
            assert wanted is None or state(path) == wanted
        assert not undo.isEnabled()
    assert hashes(path) == everything  # what is taken back keeps its row

    with open_window(path, qtbot) as window:
        redo = window.actions_set.by_name["redo"]
        for wanted in states[1:]:
            window.graph.setFocus()
            redo.trigger()
            assert wanted is None or state(path) == wanted
        assert not redo.isEnabled()

    assert hashes(path) == everything
    with open_grove(path) as grove:
        assert {finding.verdict for finding in verify_tree(grove, tree_id)} == {"ok"}


def root_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        root: str = database.execute("SELECT root_id FROM trees").fetchone()[0]
        return root


def hashes(path: Path) -> list[tuple[bytes, ...]]:
    """What the file says of each node's content, byte for byte, also of those that are taken back."""
    query = "SELECT node_id, content_hash, text, parent_hashes FROM nodes ORDER BY id"
    return rows(path, query)


def state(path: Path) -> State:
    """All that the file says of its tree, but for when it was touched last and where it is read."""
    return [
        rows(path, "SELECT * FROM nodes WHERE present ORDER BY id"),
        rows(path, "SELECT * FROM edges WHERE present ORDER BY id"),
        rows(
            path, "SELECT s.* FROM edge_sources s JOIN edges e ON e.id = s.edge WHERE e.present ORDER BY 1, 2"
        ),
        rows(path, "SELECT title, system_context, context_settings FROM trees"),
        rows(path, "SELECT * FROM included_annotations ORDER BY 1, 2"),
        rows(path, "SELECT node_id, body FROM branch_summaries ORDER BY 1"),
    ]


def rows(path: Path, query: str) -> list[tuple[bytes, ...]]:
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = bytes
        return database.execute(query).fetchall()
