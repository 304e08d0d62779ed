"""A day in the life: after each random action the file, memory and every view are as a plain model says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QLabel, QListView
from pytestqt.qtbot import QtBot

from loomapp.core.model.tree import Tree
from loomapp.providers import registry
from loomapp.providers.protocols import model_rules
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, read_grove
from loomapp.ui.inspector.context.rows import ContextRow
from loomapp.ui.trees.tree_rows import COUNT_ROLE, CURRENT_ROLE, ID_ROLE
from loomapp.ui.widgets.form import LongText
from loomapp.ui.window.main_window import MainWindow
from tests.journeys import looks
from tests.journeys.another import another_program
from tests.journeys.day import Day
from tests.journeys.plain import PlainTree
from tests.kit import chance
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import agree
from tests.kit.servers.fake_server import FakeServer, answers
from tests.kit.windows import tree_settings

SEEDS = one_in(3, [7, 22, 576_407]) if chance.asked() is None else [0]
FIRST_LONG_SEED = chance.seed(101)
EVERY = 15  # actions: then all trees and hashes are looked at, not only what is shown
AT_ONCE = 8  # texts that a model gives to one request, if it is one that can


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A model on loopback that says what the day has it say."""
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(answers("")) as server:
        yield server


@pytest.mark.parametrize("fixed", SEEDS)
def test_after_every_action_file_memory_and_views_are_as_they_should_be(
    fixed: int, tmp_path: Path, qtbot: QtBot, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(chance.seed(fixed), 40, tmp_path / "day.loom", qtbot, server, monkeypatch)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("number", range(50))
def test_the_same_for_long_days(
    number: int, tmp_path: Path, qtbot: QtBot, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(FIRST_LONG_SEED + number, 300, tmp_path / "day.loom", qtbot, server, monkeypatch)


def live(
    seed: int,
    actions: int,
    path: Path,
    qtbot: QtBot,
    server: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A day of so many actions; prints what was done, for when it fails."""
    print(f"seed {seed}")
    rules = ModelRules(max_choices=AT_ONCE if seed % 2 else 1)
    monkeypatch.setattr(model_rules, "MODEL_RULES", (("scripted:*", rules), *model_rules.MODEL_RULES))
    create_grove(path).close()
    with another_program(path) as other:
        day = Day(seed, path, qtbot, server, other)
        try:
            check(day, thoroughly=True)
            for number in range(1, actions + 1):
                day.act()
                print(number, " ".join(day.history[-3:]))
                check(day, thoroughly=number % EVERY == 0)
            day.restart()
            check(day, thoroughly=True)
        finally:
            day.close()


def check(day: Day, *, thoroughly: bool) -> None:
    """The whole truth: model, memory, file and views say one thing."""
    document, plain = day.window.document, day.tree
    assert day.window.text_pane.errors.text == "" or day.is_refused, day.window.text_pane.errors.text
    check_tree(document.tree, plain)
    assert list(document.path_ids) == plain.path_ids()
    assert (document.history.undo_label, document.history.redo_label) == (
        plain.undo_label(),
        plain.redo_label(),
    )
    listed = [(step.label, step.by, step.state, step.name or "") for step in document.history.steps().steps]
    done = [(step.label, step.by, step.state, step.name) for step in reversed(plain.steps)]
    assert listed == done[: len(listed)]
    day.qtbot.waitUntil(lambda: looks.is_settled(day.window))
    check_views(day)
    check_words(day)
    with read_grove(day.path) as file:
        assert agree(file, document.tree)
        if thoroughly:
            check_file(file, day)


def check_tree(tree: Tree, plain: PlainTree) -> None:
    """Memory is as the model says."""
    nodes = plain.nodes()
    assert list(tree.nodes) == list(nodes)
    for node_id, node in nodes.items():
        real, marks = tree.nodes[node_id], tree.nodes[node_id].metadata
        cut = real.interrupted and real.interrupted.reason
        said = (real.text, real.author_type, real.edited_from, cut)
        assert said == (node["text"], node["by"], node["from"], node["cut"])
        flags = (marks.excluded, marks.pruned, marks.bookmarked)
        assert flags == (node["excluded"], node["pruned"], node["bookmarked"])
        edges = (*tree.incoming(node_id), *tree.annotation_edges_into(node_id))
        ways = [(edge.type, tuple(source.node_id for source in edge.sources)) for edge in edges]
        assert ways == [way for way in [plain.way(node_id)] if way[0]]
    assert (tree.path.leaf_id, dict(tree.path.selections)) == plain.path
    assert tree.included_annotations.node_ids == plain.rows["notes", ""]
    loom = plain.rows["loom", ""]
    assert (tree.loom.title, tree.loom.system_context) == (loom["title"], loom["system"])
    assert (tree.loom.archived_at is not None) == loom["archived"]


def check_views(day: Day) -> None:
    """Every view shows what the model says."""
    window, plain = day.window, day.tree
    cards = plain.cards(all_of_them=day.shows_pruned)
    faces = window.graph.node_ids()
    assert len(faces) == len(cards)
    assert {next(card for card, members in cards.items() if face in members) for face in faces} == {*cards}
    assert window.graph.current_node_id == window.document.current_id
    path = plain.path_ids()
    if window.buffer.is_on:
        said = "".join(window.document.tree.nodes[i].text for i in path)
        assert window.buffer.view.editor.text == said + window.writing.working_text
    else:
        assert list(window.dialogue.shown_keys()) == [i for i in path if not plain.is_empty(i)]
    title = plain.rows["loom", ""]["title"]
    assert window.windowTitle() == f"{title} — Loomapp"
    system = find(tree_settings(window), LongText, "treeSystemContext").text()
    assert system == (plain.rows["loom", ""]["system"] or "")
    assert find(window, QLabel, "statusSize").text() == size_words(plain)
    rows = find(window.tree_list, QListView, "treeRows").model()
    listed = [rows.index(row, 0) for row in range(rows.rowCount())]
    shown = {i.data(ID_ROLE): (i.data(), i.data(COUNT_ROLE), i.data(CURRENT_ROLE)) for i in listed}
    assert shown == {
        tree.id: (
            tree.rows["loom", ""]["title"],
            len([i for i in tree.nodes() if not tree.is_empty(i)]),
            tree is plain,
        )
        for tree in day.trees.values()
        if tree.id in shown or not tree.rows["loom", ""]["archived"]
    }


def check_words(day: Day) -> None:
    """The words on the screen are those of the model: of the path, of what would be sent, of the history."""
    window, plain = day.window, day.tree
    assert window.composer.text == plain.composer
    read = looks.messages(window)
    for node_id, words in read:
        assert words == looks.bare(plain.rows["node", node_id]["text"])
    prose = looks.prose(window)
    if prose is not None:
        said = [plain.rows["node", node_id]["text"] for node_id in plain.path_ids()]
        assert prose == "".join(said) + window.writing.working_text
    told = looks.history(window)
    if told is not None:
        expected = plain.spoken_steps()
        assert len(told) == len(expected) or 200 <= len(told) < len(expected)
        assert [row[: len(said)] for row, said in zip(told, expected, strict=False)] == expected[: len(told)]
    rows = looks.context(window)
    if rows is not None:
        check_context(window, rows, plain)


def check_context(window: MainWindow, rows: list[ContextRow], plain: PlainTree) -> None:
    """What would be sent from here, and what is left out and why; if nothing would be, what helps."""
    current_id = window.document.current_id
    nodes = plain.context(current_id)
    if all(reason for _, reason in nodes) and not plain.composer:
        assert rows == []
        assert looks.helps(window) == plain.helps(current_id)
        return
    assert [(row.node_id, row.reason) for row in rows if row.node_id] == nodes
    for row in rows:
        if row.node_id is not None:
            assert row.text == plain.rows["node", row.node_id]["text"]
    assert [row.text for row in rows if row.kind == "unsent"] == [plain.composer] * bool(plain.composer)
    system = plain.rows["loom", ""]["system"] if plain.mode == "dialogue" else None
    said = [row.text for row in rows if row.kind == "system" and row.chip != "template"]  # that is no text
    assert said == [system] * bool(system)


def size_words(plain: PlainTree) -> str:
    """How large a tree is, as the status bar says it."""
    nodes, branches = sum(not plain.is_empty(i) for i in plain.nodes()), len(plain.ends())
    if not nodes:
        return "Empty tree"
    said = [
        "1 node" if nodes == 1 else f"{nodes} nodes",
        "1 branch" if branches == 1 else f"{branches} branches",
    ]
    if hidden := nodes - len(plain.living()):
        said[0] += f" ({hidden} of them deleted)"
    return ", ".join(said)


def check_file(file: Grove, day: Day) -> None:
    """Trees that are not shown, and every hash."""
    assert [row.id for row in file.trees()] == list(day.trees)
    for plain in day.trees.values():
        tree = file.load_tree(plain.id)
        check_tree(tree, plain)
        findings = verify_tree(file, plain.id)
        assert {finding.verdict for finding in findings} <= {"ok"}, findings
