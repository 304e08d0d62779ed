"""Forgeries that leave the chain whole and add to its end: what was sealed before stays sealed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.edits import node_marks
from loomapp.core.model.entities import Node
from loomapp.store.checks.grove_verification import Verified, verify_grove
from loomapp.store.connections import open_engine
from loomapp.store.grove.open import create_grove, read_grove
from loomapp.store.rows import grove_rows
from loomapp.store.rows.chain import ChainHead
from loomapp.store.rows.log_rows import edge_state, node_state, seal
from tests.kit.families import one_in
from tests.kit.groves import MODEL, generated, planted
from tests.kit.processes.command import loomapp
from tests.kit.trees import Hand
from tests.store.checks.resealing import append, empty_rows, rehash, run

NOTE, ANSWER = "Ask again.", "The sea, twice a day."


@pytest.fixture(scope="module")
def head(rich: Path) -> ChainHead:
    """The head that somebody kept."""
    head = verified_by(rich).head
    assert head is not None
    return head


@pytest.fixture
def forged(rich: Path, tmp_path: Path) -> Path:
    """A copy for a forger."""
    path = tmp_path / "forged.loom"
    path.write_bytes(rich.read_bytes())
    return path


def verified_by(path: Path, witness: str = "") -> Verified:
    with read_grove(path) as grove:
        return verify_grove(grove, witness=witness)


@dataclass(frozen=True, slots=True)
class Forger:
    """Whoever rewrites nodes of the tree with marks and adds entries that say so."""

    path: Path

    @property
    def number(self) -> int:
        with closing(sqlite3.connect(self.path)) as database:
            return int(database.execute("SELECT id FROM trees WHERE title = 'Marks'").fetchone()[0])

    def nodes(self) -> Mapping[str, Node]:
        with read_grove(self.path) as grove:
            [row] = [row for row in grove.trees() if row.title == "Marks"]
            return grove.load_tree(row.id).nodes

    def node(self, text: str) -> Node:
        [node] = [node for node in self.nodes().values() if node.text == text]
        return node

    @property
    def tree_id(self) -> str:
        with read_grove(self.path) as grove:
            return next(row.id for row in grove.trees() if row.title == "Marks")

    def becomes(self, text: str, /, **values: Any) -> Node:
        """The node with this text is another, under every hash that is made anew."""
        node = self.node(text)
        names = ", ".join(f"{name} = '{value}'" for name, value in values.items())
        run(self.path, f"UPDATE nodes SET {names} WHERE tree = {self.number} AND node_id = '{node.id}'")
        rehash(self.path)
        return self.nodes()[node.id]

    def append(self, *rows: object, label: str = "Note") -> None:
        append(self.path, self.number, label, *rows)

    def append_seals(self, before: Mapping[str, Node]) -> None:
        """Seal again whatever is other than before."""
        self.append(*(row_of(node) for node in self.nodes().values() if seal(node) != seal(before[node.id])))

    def delete_for_good(self, node: Node) -> None:
        empty_rows(self.path, node.id)
        append(self.path, None, "Delete for good", ["gone", None, {"tree": self.tree_id, "nodes": [node.id]}])


def row_of(node: Node, *, comes: bool = False) -> list[object]:
    return ["node", None if comes else node_state(node), node_state(node), node.id, seal(node)]


def _a_note(forger: Forger) -> str:
    forger.append(row_of(forger.becomes(NOTE, text="Never ask.")))
    return "it again as something else"


def _a_question(forger: Forger) -> str:
    before = forger.nodes()
    forger.becomes("What is a tide?", text="What is a lie?")
    forger.append_seals(before)
    return "it again as something else"


def _an_author(forger: Forger) -> str:
    forger.append(row_of(forger.becomes(NOTE, author_type="model", author_agent_id="smol")))
    return "it again as something else"


def _a_time(forger: Forger) -> str:
    forger.append(row_of(forger.becomes(NOTE, created_at="1790000000001")))
    return "it again as something else"


def _taken_back_first(forger: Forger) -> str:
    node = forger.node(NOTE)
    forger.append(["node", node_state(node), None, node.id, seal(node)])
    forger.append(row_of(forger.becomes(NOTE, text="Never ask."), comes=True))
    return "it again as something else"


def _made_twice(forger: Forger) -> str:
    forger.append(row_of(forger.node(ANSWER), comes=True), label="Generate")
    return "makes it a second time"


def _taken_back_and_its_edge_left(forger: Forger) -> str:
    node = forger.node(NOTE)
    run(forger.path, f"UPDATE nodes SET present = 0 WHERE tree = {forger.number} AND node_id = '{node.id}'")
    forger.append(["node", node_state(node), None, node.id, seal(node)])
    return "the edge that leads to it was not"


def _deleted_and_put_back(forger: Forger) -> str:
    node = forger.node(NOTE)
    forger.delete_for_good(node)
    forger.append(row_of(forger.becomes(NOTE, text="I confess."), comes=True))
    return "deleted for good, and is there again"


def _its_edge_emptied(forger: Forger) -> str:
    node = forger.node(NOTE)
    empty_rows(forger.path, node.id, kinds=("edge",))
    append(forger.path, None, "Delete for good", ["gone", None, {"tree": forger.tree_id, "nodes": [node.id]}])
    return "deleted for good, and is there again"


FORGERIES: Mapping[str, Callable[[Forger], str]] = {
    "the text of a note": _a_note,
    "the text of a question and every hash below": _a_question,
    "the author of a note": _an_author,
    "the time of a note": _a_time,
    "a text after its node was taken back": _taken_back_first,
    "a node that is made twice": _made_twice,
    "a node that is taken back and its edge not": _taken_back_and_its_edge_left,
    "a text deleted for good and put back as another": _deleted_and_put_back,
    "the edge of a node that is said to be deleted": _its_edge_emptied,
}


@pytest.mark.parametrize("name", one_in(6, FORGERIES))
def test_what_was_sealed_stays_sealed_whatever_is_added_to_the_chain(
    forged: Path, head: ChainHead, name: str
) -> None:
    text = "What is a tide?" if "question" in name else ANSWER if "twice" in name else NOTE
    node = Forger(forged).node(text)

    reason = FORGERIES[name](Forger(forged))

    verified = verified_by(forged, head.link)
    assert any("as it was sealed" in fault for fault in verified.faults) is False
    found = {one.node_id: one for tree in verified.trees for one in tree.findings}
    assert found[node.id].verdict == "failed"
    assert reason in found[node.id].reason
    assert verified.since  # the head that was kept is still a link of the chain, so that alone would not do


@pytest.mark.parametrize("name", ["the text of a note", "a node that is made twice"])
def test_every_command_says_so(forged: Path, head: ChainHead, name: str) -> None:
    FORGERIES[name](Forger(forged))

    for command in (["verify"], ["verify", "--head", head.link], ["check"]):
        ran = loomapp(*command, "--grove", forged)
        assert ran.status == 1, command
        assert "the change log" in ran.out


@pytest.mark.parametrize("is_bare", [True, False])
@pytest.mark.parametrize("after", ["", "the link before it"])
def test_an_agent_is_not_renamed_by_sealing_everything_anew(
    forged: Path, head: ChainHead, after: str, is_bare: bool
) -> None:
    run(forged, "UPDATE agents SET name = 'GPT' WHERE agent_id = 'smol'")
    states = [] if is_bare else _agent_rows(forged)

    append(forged, None, "Sealed", ["sealed", None, {"after": after and head.link}], *states)

    faults = verified_by(forged, head.link).faults
    assert any("seals anew what was sealed already" in fault for fault in faults)
    assert any("the agent smol is not what the change log says" in fault for fault in faults)
    assert loomapp("verify", "--head", head.link, "--grove", forged).status == 1


@pytest.mark.parametrize("name", ["type", "owner"])
def test_an_agent_stays_what_it_came_as(forged: Path, head: ChainHead, name: str) -> None:
    with read_grove(forged) as grove, grove.snapshot() as connection:
        states = grove_rows.agent_states(connection)
    owner = next(state for state in states.values() if state["owner"])
    other = next(state for state in states.values() if state["type"] == "human" and not state["owner"])
    rows: list[object] = [
        ["agent", owner, {**owner, "owner": False}],
        ["agent", other, {**other, "owner": True}],
    ]
    told = [
        f"UPDATE agents SET is_owner = 0 WHERE agent_id = '{owner['id']}'",
        f"UPDATE agents SET is_owner = 1 WHERE agent_id = '{other['id']}'",
    ]
    if name == "type":
        rows = [["agent", states["smol"], {**states["smol"], "type": "human"}]]
        told = ["UPDATE agents SET type = 'human' WHERE agent_id = 'smol'"]
    run(forged, *told)

    append(forged, None, "Agent", *rows)

    verified = verified_by(forged, head.link)
    assert verified.since == 1
    assert any("which no change makes it" in fault for fault in verified.faults)


def test_an_agent_is_never_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        grove.put_agent(MODEL)
        with grove.snapshot() as connection:
            state = grove_rows.agent_states(connection)[MODEL.id]
    assert not verified_by(path).failed
    run(path, f"DELETE FROM agents WHERE agent_id = '{MODEL.id}'")

    append(path, None, "Agent", ["agent", state, None])

    assert any("takes an agent away" in fault for fault in verified_by(path).faults)


def test_a_chain_that_was_begun_anew_holds_no_head_before_that(forged: Path, head: ChainHead) -> None:
    append(forged, None, "Sealed", ["sealed", None, {"after": "f" * 64}], *_agent_rows(forged))

    assert verified_by(forged, head.link).since is None


def _agent_rows(path: Path) -> list[object]:
    engine = open_engine(path)
    try:
        with engine.begin() as connection:
            return list(grove_rows.all_states(connection))
    finally:
        engine.dispose()


def test_what_is_deleted_for_good_may_come_back_as_the_same_text(forged: Path, head: ChainHead) -> None:
    forger = Forger(forged)
    node = forger.node(NOTE)
    edge = _edge_row(forged, node)
    forger.delete_for_good(node)
    forger.append(row_of(node, comes=True), edge)

    found = {one.node_id: one for tree in verified_by(forged).trees for one in tree.findings}

    assert "deleted for good" not in found[node.id].reason


def _edge_row(path: Path, node: Node) -> list[object]:
    with read_grove(path) as grove:
        [row] = [row for row in grove.trees() if row.title == "Marks"]
        tree = grove.load_tree(row.id)
    [edge] = [edge for edge in tree.edges.values() if edge.target_id == node.id]
    return ["edge", None, edge_state(edge)]


# What is legitimate


def test_undo_redo_and_the_same_tree_once_more_are_no_forgeries(tmp_path: Path) -> None:
    hand = Hand()
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=4)
        grove.put_agent(MODEL)
        grove.commit(tree, generated(tree, ids[-1], ["one", "two"], hand))
        whole, evidence = grove.load_tree(tree.loom.id), grove.all_evidence(tree.loom.id)
        kept = verify_grove(grove).head
        assert kept is not None
        grove.undo(tree)
        grove.undo(tree)
        grove.redo(tree)
        grove.undo(tree)
        grove.add_tree(whole, [MODEL], evidence)  # brings back what is undone, under its first seal
        assert grove.load_tree(tree.loom.id).nodes.keys() == whole.nodes.keys()

        verified = verify_grove(grove, witness=kept.link)

    assert not verified.failed
    assert verified.since


def test_flags_and_places_may_change_after_a_head_was_kept(tmp_path: Path) -> None:
    hand = Hand()
    with create_grove(tmp_path / "g.loom") as grove:
        tree, ids = planted(grove, hand, length=4)
        kept = verify_grove(grove).head
        assert kept is not None
        change = node_marks.bookmark(tree, ids[1], "here", hand.pen())
        assert change is not None
        grove.commit(tree, change)

        verified = verify_grove(grove, witness=kept.link)

    assert (verified.failed, verified.since) == (False, 1)


def test_a_repair_of_what_no_link_says_keeps_the_chain_and_its_heads(
    forged: Path, head: ChainHead, tmp_path: Path
) -> None:
    run(forged, "UPDATE agents SET name = 'GPT' WHERE agent_id = 'smol'", "UPDATE change_log SET done = 1")

    assert loomapp("check", "--repair", "--grove", forged).status in (0, 1)

    repaired = verified_by(forged.with_name("forged-recovered.loom"), head.link)
    assert not repaired.failed
    assert repaired.since


BELOW_A_TREE = {
    "tag_nodes": "tag IN (SELECT id FROM tags WHERE tree = {0})",
    "edge_sources": "edge IN (SELECT id FROM edges WHERE tree = {0})",
    "node_responses": "node IN (SELECT id FROM nodes WHERE tree = {0})",
    **dict.fromkeys(
        (
            "selections",
            "tree_agents",
            "edges",
            "included_annotations",
            "tags",
            "links",
            "branch_summaries",
            "context_summaries",
            "responses",
            "nodes",
        ),
        "tree = {0}",
    ),
    "trees": "id = {0}",
}


def take_away(path: Path, number: int) -> None:
    """Every row of a tree, but those of the log."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA foreign_keys=OFF")
        for table, where in BELOW_A_TREE.items():
            database.execute(f"DELETE FROM {table} WHERE {where.format(number)}")


@pytest.mark.parametrize("says_so", [True, False])
def test_a_tree_that_is_gone_is_named(forged: Path, head: ChainHead, says_so: bool) -> None:
    forger = Forger(forged)
    number, tree_id = forger.number, forger.tree_id
    with read_grove(forged) as grove, grove.snapshot() as connection:
        listed = grove_rows.file_states(connection)[tree_id]

    take_away(forged, number)
    if says_so:
        append(forged, None, "Agents of a file", ["file", listed, None])

    faults = verified_by(forged, head.link).faults
    assert any("the tree is gone that entry" in fault for fault in faults), faults
    assert any("change_log points at a row of trees that is not there" in fault for fault in faults), faults


def test_a_tree_that_another_takes_the_name_of_is_named(
    forged: Path, head: ChainHead, tmp_path: Path
) -> None:
    forger = Forger(forged)
    number, tree_id = forger.number, forger.tree_id
    told = loomapp("export", "--grove", forged, "--tree", tree_id).out
    (tmp_path / "again.loom.json").write_text(told, encoding="utf-8")
    run(forged, f"UPDATE trees SET tree_id = 'aside' WHERE id = {number}")

    renamed = verified_by(forged, head.link)
    assert renamed.failed
    assert loomapp("import", tmp_path / "again.loom.json", "--grove", forged).status == 0
    take_away(forged, number)

    verified = verified_by(forged, head.link)
    assert any("the tree is gone that entry" in fault for fault in verified.faults)
    assert tree_id in {tree.tree_id for tree in verified.trees_since}


def test_rows_that_belong_to_nothing_are_named(forged: Path) -> None:
    run(forged, "UPDATE tags SET tree = 999")

    assert any("of tags points at a row of trees" in fault for fault in verified_by(forged).faults)
