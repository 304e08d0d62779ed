"""Later entries of the chain that say of an edge or a tree what no change of Loomapp says: a kept head holds,
and verification names them all the same.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.core.edits.node_edits import add_node
from loomapp.core.model.entities import EdgeSource
from loomapp.core.model.tree import Tree
from loomapp.core.tree_json import loom_to_json
from loomapp.store.checks.first_sources import OTHER_EDGE, OTHER_ROLE
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.checks.tree_verification import OTHER_TREE
from loomapp.store.grove.open import create_grove, read_grove
from loomapp.store.rows.log_rows import edge_state
from tests.kit.families import one_in
from tests.kit.groves import planted
from tests.kit.trees import Hand
from tests.store.checks.resealing import append, run

Act = Callable[[Path, Tree, str], str]


def _rehang(path: Path, tree: Tree, leaf: str, *sources: tuple[str, str]) -> str:
    """The edge into a node with other sources, in the file and by one more entry."""
    edge = tree.incoming(leaf)[0]
    numbers = dict(_rows(path, "SELECT node_id, id FROM nodes"))
    row = dict(_rows(path, "SELECT edge_id, id FROM edges"))[edge.id]
    values = ", ".join(f"({row}, {i}, {numbers[name]}, '{role}')" for i, (name, role) in enumerate(sources))
    run(
        path,
        f"DELETE FROM edge_sources WHERE edge = {row}",
        f"INSERT INTO edge_sources (edge, position, node, role) VALUES {values}",
    )
    state = edge_state(edge)
    said = [name if role == "primary" else [name, role] for name, role in sources]
    append(path, 1, "Move branch", ["edge", state, {**state, "from": said}])
    return leaf


def _rows(path: Path, query: str) -> list[tuple[object, object]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


def _another_role(path: Path, tree: Tree, leaf: str) -> str:
    above = tree.incoming(leaf)[0].sources[0].node_id
    return _rehang(path, tree, leaf, (above, "context"), (tree.root_id, "primary"))


def _an_instruction_more(path: Path, tree: Tree, leaf: str) -> str:
    above = tree.incoming(leaf)[0].sources[0].node_id
    return _rehang(path, tree, leaf, (above, "primary"), (tree.root_id, "instruction"))


def _made(path: Path, tree: Tree, leaf: str, **values: object) -> str:
    """The edge into a node made otherwise, in the file and by one more entry."""
    edge = tree.incoming(leaf)[0]
    sets = {"at": "created_at = 5", "extra": """extra = '{"a": 1}'"""}
    run(path, *(f"UPDATE edges SET {sets[name]} WHERE edge_id = '{edge.id}'" for name in values))
    state = edge_state(edge)
    append(path, 1, "Move branch", ["edge", state, {**state, **values}])
    return leaf


def _made_earlier(path: Path, tree: Tree, leaf: str) -> str:
    return _made(path, tree, leaf, at=5)


def _made_with_more(path: Path, tree: Tree, leaf: str) -> str:
    return _made(path, tree, leaf, extra={"a": 1})


def _made_anew(path: Path, tree: Tree, leaf: str) -> str:
    """Another edge, made at another time, in the place of one that is taken back."""
    state = edge_state(tree.incoming(leaf)[0])
    [(old, new)] = _rows(path, f"SELECT id, id + 1000 FROM edges WHERE edge_id = '{state['id']}'")
    columns = [str(name) for _, name, *_ in _rows(path, "PRAGMA table_info(edges)")]
    kept = ", ".join(it for it in columns if it not in ("id", "edge_id", "created_at"))
    run(
        path,
        f"INSERT INTO edges (id, edge_id, created_at, {kept}) SELECT {new}, 'other', 5, {kept} FROM edges "
        f"WHERE id = {old}",
        f"INSERT INTO edge_sources (edge, position, node, role) SELECT {new}, position, node, role "
        f"FROM edge_sources WHERE edge = {old}",
        f"UPDATE edges SET present = 0 WHERE id = {old}",
    )
    other = {**state, "id": "other", "at": 5}
    append(path, 1, "Move branch", ["edge", state, None], ["edge", None, other])
    return leaf


def _becomes(path: Path, tree: Tree, **values: object) -> str:
    before = loom_to_json(tree.loom)
    append(path, 1, "Tree settings", ["tree", before, json.loads(json.dumps({**before, **values}))])
    return tree.root_id


def _earlier(path: Path, tree: Tree, _: str) -> str:
    run(path, "UPDATE trees SET created_at = 0")
    return _becomes(path, tree, createdAt="1970-01-01T00:00:00.000Z")


def _as_a_buffer(path: Path, tree: Tree, _: str) -> str:
    run(path, "UPDATE trees SET mode = 'buffer'")
    return _becomes(path, tree, mode="buffer")


def _from_its_leaf(path: Path, tree: Tree, leaf: str) -> str:
    run(path, f"UPDATE trees SET root_id = '{leaf}'")
    _becomes(path, tree, rootNodeId=leaf)
    return leaf


def _besides(path: Path, tree: Tree, leaf: str, role: str = "primary") -> str:
    """One more edge into a node, from the root."""
    numbers = dict(_rows(path, "SELECT node_id, id FROM nodes"))
    run(
        path,
        "INSERT INTO edges (id, tree, edge_id, target, type, created_at, present) "
        f"VALUES (999, 1, 'besides', {numbers[leaf]}, 'continuation', 5, 1)",
        "INSERT INTO edge_sources (edge, position, node, role) "
        f"VALUES (999, 0, {numbers[tree.root_id]}, '{role}')",
    )
    sources = [tree.root_id if role == "primary" else [tree.root_id, role]]
    append(path, 1, "Move branch", ["edge", None, {"id": "besides", "from": sources, "to": leaf, "at": 5}])
    return leaf


def _goes_along(path: Path, tree: Tree, leaf: str) -> str:
    return _besides(path, tree, leaf, "context")


FORGERIES: dict[str, tuple[Act, str]] = {
    "an edge besides": (_besides, "another edge leads to it"),
    "a context besides": (_goes_along, "another edge leads to it"),
    "another role": (_another_role, OTHER_ROLE),
    "an instruction more": (_an_instruction_more, OTHER_ROLE),
    "an earlier tree": (_earlier, OTHER_TREE),
    "a dialogue that is a buffer": (_as_a_buffer, OTHER_TREE),
    "another root": (_from_its_leaf, OTHER_TREE),
    "an edge with more": (_made_with_more, OTHER_EDGE),
    "an earlier edge": (_made_earlier, OTHER_EDGE),
    "an edge made anew": (_made_anew, OTHER_EDGE),
}


@pytest.mark.parametrize("name", one_in(2, FORGERIES))
def test_what_an_edge_or_a_tree_came_with_stays(tmp_path: Path, name: str) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        tree, ids = planted(grove, Hand(), length=4)
        kept = verify_grove(grove).head
    assert kept is not None
    act, reason = FORGERIES[name]

    node_id = act(path, tree, ids[-1])

    with read_grove(path) as grove:
        verified = verify_grove(grove, witness=kept.link)
    [found] = [one for one in verified.trees[0].findings if one.node_id == node_id]
    assert (verified.since, found.verdict) == (1, "failed")
    assert reason in found.reason


def _merged(path: Path) -> tuple[Tree, str]:
    """A tree in which a node continues two others, one beside the other; its id."""
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=4)
        both = (EdgeSource(ids[3]), EdgeSource(ids[2]))
        change = add_node(tree, ids[3], "More.", hand.pen(grove.owner.id), sources=both)
        grove.commit(tree, change)
        assert not verify_grove(grove).failed
        return tree, change.added_nodes()[0].id


def _of(path: Path, node_id: str) -> tuple[str, str]:
    with read_grove(path) as grove:
        [found] = [one for one in verify_grove(grove).trees[0].findings if one.node_id == node_id]
        return found.verdict, found.reason


@pytest.mark.parametrize("is_anew", [False, True])
def test_what_a_node_continues_keeps_its_order(tmp_path: Path, is_anew: bool) -> None:
    path = tmp_path / "g.loom"
    tree, node_id = _merged(path)
    edge = tree.incoming(node_id)[0]
    one, other = (source.node_id for source in edge.sources)

    if is_anew:
        sources = f"UPDATE edge_sources SET position = {{}} WHERE edge = {_row_of(path, edge.id)}"
        run(path, sources.format("position + 9"), sources.format("10 - position"))
        run(path, f"UPDATE edges SET edge_id = 'other' WHERE edge_id = '{edge.id}'")
        state = edge_state(edge)
        swapped = {**state, "id": "other", "from": [other, one]}
        append(path, 1, "Move branch", ["edge", state, None], ["edge", None, swapped])
    else:
        _rehang(path, tree, node_id, (other, "primary"), (one, "primary"))

    verdict, reason = _of(path, node_id)
    assert verdict == "failed"
    assert OTHER_EDGE in reason


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_source_keeps_its_keys(tmp_path: Path, is_merged: bool) -> None:
    path = tmp_path / "g.loom"
    tree, node_id = _merged(path)
    node_id = node_id if is_merged else tree.incoming(node_id)[0].sources[0].node_id
    edge = tree.incoming(node_id)[0]
    state = edge_state(edge)
    first, *others = (source.node_id for source in edge.sources)

    where = f"edge = {_row_of(path, edge.id)} AND position = 0"
    run(path, f"""UPDATE edge_sources SET extra = '{{"a": 1}}' WHERE {where}""")
    with_key = {**state, "from": [[first, "primary", {"a": 1}], *others]}
    append(path, 1, "Move branch", ["edge", state, with_key])

    assert _of(path, node_id) == ("failed", OTHER_EDGE)


@pytest.mark.parametrize("is_anew", [False, True])
def test_a_source_loses_no_keys(tmp_path: Path, is_anew: bool) -> None:
    path, hand = tmp_path / "g.loom", Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=4)
        with_key = (EdgeSource(ids[3], "primary", {"a": 1}),)
        change = add_node(tree, ids[3], "More.", hand.pen(grove.owner.id), sources=with_key)
        grove.commit(tree, change)
        [node] = change.added_nodes()
        assert not verify_grove(grove).failed
    state = edge_state(tree.incoming(node.id)[0])

    run(path, "UPDATE edge_sources SET extra = NULL")
    plain = {**state, "from": [ids[3]]}
    if is_anew:
        run(path, f"UPDATE edges SET edge_id = 'other' WHERE edge_id = '{state['id']}'")
        append(path, 1, "Move branch", ["edge", state, None], ["edge", None, {**plain, "id": "other"}])
    else:
        append(path, 1, "Move branch", ["edge", state, plain])

    verdict, reason = _of(path, node.id)
    assert verdict == "failed"
    assert OTHER_EDGE in reason


def _row_of(path: Path, edge_id: str) -> object:
    return dict(_rows(path, "SELECT edge_id, id FROM edges"))[edge_id]


def test_a_path_ends_on_a_node_that_is_there(tmp_path: Path) -> None:
    path, hand = tmp_path / "g.loom", Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=4)
        grove.undo(tree)
        assert not verify_grove(grove).failed
    before = {"leaf": tree.path.leaf_id, "selections": {}, "extra": {}}

    run(path, f"UPDATE trees SET leaf_id = '{ids[-1]}'")
    append(path, 1, "Choose path", ["path", before, {**before, "leaf": ids[-1]}])

    verdict, reason = _of(path, tree.root_id)
    assert verdict == "failed"
    assert reason == "the place where it was read last is a node that is not there"


def test_contexts_keep_the_order_in_which_a_node_came_with_them(tmp_path: Path) -> None:
    path, hand = tmp_path / "g.loom", Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=4)
        beside = tuple(EdgeSource(name, "context") for name in ids[:2])
        change = add_node(
            tree, ids[3], "More.", hand.pen(grove.owner.id), sources=(EdgeSource(ids[3]), *beside)
        )
        grove.commit(tree, change)
        assert not verify_grove(grove).failed
        [node] = change.added_nodes()

    _rehang(path, tree, node.id, (ids[3], "primary"), (ids[1], "context"), (ids[0], "context"))

    with read_grove(path) as grove:
        [found] = [one for one in verify_grove(grove).trees[0].findings if one.node_id == node.id]
    assert (found.verdict, found.reason) == ("failed", OTHER_ROLE)
