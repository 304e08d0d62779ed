"""Damaged groves: flipped bits that matter are found, what is readable is kept, the original untouched."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.errors import GroveError
from loomapp.store.backups.backup import back_up
from loomapp.store.checks.check import Problem, check
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.files.media import add_media, media_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.salvage.salvage import open_damaged, repair, salvage
from loomapp.store.soundness import BROKEN_VALUE
from tests.kit.chance import seed
from tests.kit.damage import PAGE_SIZE, flip, leaves_of, renumber, state, wreck
from tests.kit.families import one_in
from tests.kit.groves import everything, generated, planted
from tests.kit.trees import Hand

FLIPS = [4, pytest.param(40, marks=pytest.mark.slow)]
LENGTH = 30
NODES = 1 + LENGTH + 2 * 3  # of each tree


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed grove of three trees with answers, marks, notes and something undone."""
    path, hand = tmp_path_factory.mktemp("sound") / "grove.loom", Hand()
    with create_grove(path) as grove:
        for _ in range(3):
            tree, ids = planted(grove, hand, length=LENGTH)
            for node_id in ids[::10]:
                grove.commit(tree, generated(tree, node_id, ["one " * 40, "two " * 200], hand))
            bookmark = node_marks.bookmark(tree, ids[7], "here", hand.pen())
            assert bookmark is not None
            grove.commit(tree, bookmark)
            grove.commit(tree, node_edits.annotate(tree, ids[3], "a note", hand.pen()))
            grove.undo(tree)
    add_media(path, [b"a picture"])
    return path


@pytest.fixture
def damaged(sound: Path, tmp_path: Path) -> Path:
    """A copy, to be damaged."""
    path = tmp_path / "house" / "grove.loom"
    path.parent.mkdir()
    path.write_bytes(sound.read_bytes())
    return path


def told(path: Path) -> list[object] | None:
    """All that a grove says, None where it cannot be read."""
    try:
        with read_grove(path) as grove:
            return _told(grove)
    except (*BROKEN_VALUE, sqlite3.Error):
        return None


def _told(grove: Grove) -> list[object]:
    return [(everything(grove.load_tree(row.id)), grove.all_evidence(row.id)) for row in grove.trees()]


def texts(path: Path) -> set[str]:
    with read_grove(path) as grove:
        return {node.text for row in grove.trees() for node in grove.load_tree(row.id).nodes.values()}


def problems(path: Path) -> tuple[Problem, ...]:
    return check(path).problems


def is_found(path: Path) -> bool:
    try:
        return bool(problems(path))
    except GroveError as error:
        return error.code in {"notAGrove", "newerSchema"}  # the header says something else


def test_a_sound_grove_has_no_problem(sound: Path) -> None:
    before = state(sound.parent)

    checked = check(sound)

    assert (checked.trees, checked.nodes, checked.problems) == (3, 3 * NODES, ())
    assert state(sound.parent) == before


@pytest.mark.parametrize("flips", FLIPS)
def test_flipped_bits_are_found_and_what_is_readable_is_kept(
    sound: Path, damaged: Path, tmp_path: Path, flips: int
) -> None:
    chance = random.Random(seed(1))
    whole, size, found = told(sound), sound.stat().st_size, 0
    losses: list[int] = []

    while found < flips:
        at, bit = chance.randrange(size), chance.randrange(8)
        flip(sound, damaged, at, bit)
        before, place = state(damaged.parent), f"bit {bit} of byte {at}"
        if not is_found(damaged):
            assert told(damaged) == whole, f"{place} changed something and was not found"
            continue
        found += 1

        losses.append(loss_of(damaged, tmp_path / f"{found}.loom"))

        assert state(damaged.parent) == before, place

    # A bit in the head of a page can cost what is on the page; all others cost one node at most.
    assert sorted(losses)[-3] <= 1, losses


def loss_of(damaged: Path, to: Path) -> int:
    """How many nodes are not in what is salvaged, which is sound but for the hashes of nodes."""
    try:
        saved = salvage(damaged, to)
    except GroveError:
        return 3 * NODES
    assert {problem.kind for problem in problems(saved.path)} <= {"node"}
    return 3 * NODES - sum(tree.nodes for tree in saved.trees)


def test_an_entry_that_no_longer_says_when_its_tree_was_changed_is_not_kept_by_a_repair(
    sound: Path, damaged: Path, tmp_path: Path
) -> None:
    data = sound.read_bytes()
    flip(sound, damaged, data.rindex(b'"updatedAt"') + 4, 5)
    assert "log" in {problem.kind for problem in problems(damaged)}

    saved = salvage(damaged, tmp_path / "saved.loom")

    assert problems(saved.path) == ()


def test_a_flipped_bit_in_a_text_is_named_and_only_that_node_is_damaged(sound: Path, damaged: Path) -> None:
    data = sound.read_bytes()
    assert data.count(b"message 23") == 3

    flip(sound, damaged, data.index(b"message 23"), 0)

    [problem] = problems(damaged)
    assert problem.kind == "node"
    with read_grove(damaged) as grove:
        assert problem.tree_id is not None
        tree = grove.load_tree(problem.tree_id)
    assert tree.nodes[problem.node_id or ""].text == "lessage 23"
    assert "not what was hashed" in problem.message


TAMPERED = {
    "an undone node's text": (
        "UPDATE nodes SET text = 'b note' WHERE NOT present",
        "node",
        "it is undone",
    ),
    "the place read last": ("UPDATE trees SET leaf_id = root_id", "mark", "where it was read last"),
    "a tag": ("INSERT INTO tags (tree, name) SELECT id, 'new' FROM trees", "mark", "the tag new"),
    "a choice of the path": (
        "INSERT INTO selections (tree, target_id, source_id) SELECT id, 'a', 'b' FROM trees",
        "mark",
        "where it was read last",
    ),
    "a name that is no text": ("UPDATE agents SET name = CAST(x'ff6d' AS TEXT)", "value", "agents 1: name"),
    "a setting that is no JSON": ("INSERT INTO settings VALUES ('x', '{')", "value", "settings b'x': value"),
    "a time that is a text": ("UPDATE agents SET archived_at = 'now'", "value", "archived_at"),
    "a row that points at nothing": (
        "PRAGMA foreign_keys=OFF; INSERT INTO tag_nodes VALUES (77, 0, 'x')",
        "structure",
        "points at a row of tags",
    ),
    "a log that is no JSON": ("UPDATE change_log SET body = '{' WHERE sequence = 2", "log", "cannot be read"),
    "no owner": ("UPDATE agents SET is_owner = 0", "file", "lost its owner"),
}


@pytest.mark.parametrize("name", one_in(4, TAMPERED))
def test_what_another_hand_changed_is_named(damaged: Path, name: str) -> None:
    sql, kind, words = TAMPERED[name]

    run(damaged, *sql.split("; "))

    assert any(problem.kind == kind and words in problem.message for problem in problems(damaged))


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for sql in statements:
            database.execute(sql)


def test_no_row_is_said_to_be_lost_of_a_table_that_had_none(damaged: Path) -> None:
    for name in ("drafts", "links"):  # the index says that of these there was none
        wreck(damaged, leaves_of(damaged, name))

    saved = repair(damaged)

    assert not any("up to" in line for line in saved.report())
    assert (saved.lost["drafts"], saved.lost["links"]) == (0, 0)


def test_where_nothing_says_how_many_rows_there_were_no_number_is_made_up(damaged: Path) -> None:
    with closing(sqlite3.connect(damaged)) as database:
        indexes = [row[1] for row in database.execute("PRAGMA index_list(links)")]
    wreck(damaged, [page for name in ("links", *indexes) for page in leaves_of(damaged, name)])

    saved = repair(damaged)

    [line] = [line for line in saved.report() if line.startswith("links")]
    assert "up to" not in line
    assert "nothing says" in line
    assert not saved.is_complete


def test_a_broken_page_costs_the_nodes_on_it_and_no_others(sound: Path, damaged: Path) -> None:
    page = leaves_of(damaged, "nodes")[1]
    with closing(sqlite3.connect(damaged)) as database:
        rows = database.execute("SELECT count(*) FROM nodes").fetchone()[0]
    wreck(damaged, [page])
    before = state(damaged.parent)
    assert is_found(damaged)

    saved = repair(damaged)

    assert {name: state(damaged.parent)[name] for name in before} == before
    assert saved.path.parent == damaged.parent
    assert saved.path.name == "grove-recovered.loom"
    assert saved.saved["nodes"] == rows - saved.lost["nodes"]
    assert 0 < saved.lost["nodes"] < 30
    assert not saved.is_complete
    lost = [name for tree in saved.trees for name in tree.lost]
    assert len(lost) <= saved.lost["nodes"]
    assert sum(tree.nodes for tree in saved.trees) == 3 * NODES - len(lost)
    assert [p.kind for p in problems(saved.path)] == ["node"] * len(problems(saved.path))
    untouched = [tree for tree in saved.trees if tree.is_complete]
    assert len(untouched) >= 1


@pytest.mark.parametrize("rowid", [1, 127])
def test_a_row_under_a_wrong_number_hides_no_others(damaged: Path, rowid: int) -> None:
    renumber(damaged, leaves_of(damaged, "nodes")[1], 2, rowid)
    assert is_found(damaged)

    saved = repair(damaged)

    assert sum(tree.nodes for tree in saved.trees) >= 3 * NODES - 1
    assert {problem.kind for problem in problems(saved.path)} <= {"node"}


def test_a_tree_under_a_wrong_number_gets_its_own_back(sound: Path, damaged: Path) -> None:
    [page] = leaves_of(damaged, "trees")
    renumber(damaged, page, 1, 77)
    assert is_found(damaged)

    saved = repair(damaged)

    assert sorted(tree.nodes for tree in saved.trees) == [NODES] * 3
    before, after = told(sound), told(saved.path)
    assert before is not None
    assert after is not None
    assert all(tree in before for tree in after)
    assert problems(saved.path) == ()


def test_what_hung_on_a_lost_node_is_below_a_root_of_its_own(damaged: Path) -> None:
    wreck(damaged, leaves_of(damaged, "nodes")[1:2])

    saved = repair(damaged)

    with open_grove(saved.path) as grove:
        for tree_row, report in zip(grove.trees(), saved.trees, strict=True):
            tree = grove.load_tree(tree_row.id)
            recovered = [node for node in tree.nodes.values() if node.text == "Recovered"]
            assert len(recovered) == bool(report.orphans)
            if recovered:
                assert len(tree.children(recovered[0].id)) == report.orphans
            alone = [n for n in tree.nodes if not tree.incoming(n) and not tree.annotation_edges_into(n)]
            assert set(alone) == {tree.root_id, *(node.id for node in recovered)}
            assert tree.path.leaf_id in tree.nodes


def test_edges_that_are_lost_come_back_from_the_log(sound: Path, damaged: Path) -> None:
    wreck(damaged, [*leaves_of(damaged, "edge_sources"), *leaves_of(damaged, "edges")])

    saved = repair(damaged)

    assert [(tree.lost, tree.orphans) for tree in saved.trees] == [((), 0)] * 3
    with read_grove(sound) as old, read_grove(saved.path) as new:
        for row in old.trees():
            before, after = old.load_tree(row.id), new.load_tree(row.id)
            assert {e.id: e for e in after.edges.values()} == before.edges
    assert problems(saved.path) == ()


def test_edges_come_back_by_the_hashes_of_their_parents_where_the_log_is_lost_too(damaged: Path) -> None:
    pages = (leaves_of(damaged, table) for table in ("edge_sources", "edges", "change_log"))
    wreck(damaged, [page for leaves in pages for page in leaves])

    saved = repair(damaged)

    assert [(tree.nodes, tree.orphans, tree.history_kept) for tree in saved.trees] == [(NODES, 0, False)] * 3
    assert problems(saved.path) == ()


@pytest.mark.parametrize("place", one_in(3, [1, 2**40, -1]))
def test_sources_of_an_edge_whose_places_are_not_in_a_row_are_put_in_one(damaged: Path, place: int) -> None:
    with closing(sqlite3.connect(damaged)) as database:
        database.execute("UPDATE edge_sources SET position = ? WHERE edge = 2 AND position = 0", (place,))
        database.commit()
    assert [problem.kind for problem in problems(damaged)] == ["log"]

    saved = repair(damaged)

    assert saved.is_complete
    assert problems(saved.path) == ()


def test_a_tree_whose_own_row_is_lost_comes_back_from_the_log(sound: Path, damaged: Path) -> None:
    wreck(damaged, leaves_of(damaged, "trees"))

    saved = repair(damaged)

    with read_grove(sound) as old, read_grove(saved.path) as new:
        assert [(r.id, r.title, r.mode) for r in new.trees()] == [
            (r.id, r.title, r.mode) for r in old.trees()
        ]
    assert sum(tree.nodes for tree in saved.trees) == 3 * NODES


def test_without_log_and_row_a_tree_is_called_recovered(damaged: Path) -> None:
    wreck(damaged, [*leaves_of(damaged, "trees"), *leaves_of(damaged, "change_log")])

    saved = repair(damaged)

    assert [(tree.title, tree.nodes) for tree in saved.trees] == [("Recovered", NODES)] * 3
    assert problems(saved.path) == ()


def test_agents_that_are_lost_leave_a_grove_with_an_owner(damaged: Path) -> None:
    wreck(damaged, leaves_of(damaged, "agents"))

    saved = repair(damaged)

    with open_grove(saved.path) as grove:
        assert grove.owner.type == "human"
        assert not verify_grove(grove).faults
    assert sum(tree.nodes for tree in saved.trees) == 3 * NODES


@pytest.mark.parametrize("kept", [0.95, 0.85])
def test_of_a_truncated_file_the_rest_is_saved(damaged: Path, kept: float) -> None:
    data = damaged.read_bytes()
    damaged.write_bytes(data[: int(len(data) * kept)])
    before = state(damaged.parent)
    assert is_found(damaged)

    saved = repair(damaged)

    assert {name: state(damaged.parent)[name] for name in before} == before
    assert sum(tree.nodes for tree in saved.trees) > 20
    assert {problem.kind for problem in problems(saved.path)} <= {"node"}


@pytest.mark.parametrize("pages", [[1], [1, 2, 3]])
def test_a_file_whose_first_pages_are_gone_is_read_by_what_every_grove_has_there(
    sound: Path, damaged: Path, pages: list[int]
) -> None:
    wreck(damaged, pages)
    with pytest.raises(GroveError):
        open_grove(damaged)

    saved = repair(damaged)

    assert told(saved.path) == told(sound)


def test_a_grove_whose_pages_lie_otherwise_is_read_by_the_first_pages_of_its_backup(
    sound: Path, damaged: Path, tmp_path: Path
) -> None:
    run(damaged, "VACUUM")
    sister = tmp_path / "sister.loom"
    sister.write_bytes(damaged.read_bytes())
    wreck(damaged, [1])
    with pytest.raises(GroveError, match="open a backup"):
        repair(damaged)
    damaged.write_bytes(sister.read_bytes())
    back_up(damaged)
    wreck(damaged, [1])

    saved = repair(damaged)

    assert told(saved.path) == told(sound)


def test_a_file_in_which_nothing_can_be_read_leaves_none_beside_it(damaged: Path) -> None:
    wreck(damaged, range(2, damaged.stat().st_size // PAGE_SIZE + 1))
    before = state(damaged.parent)

    with pytest.raises(GroveError, match="open a backup") as error:
        repair(damaged)

    assert error.value.code == "damaged"
    assert state(damaged.parent) == before


def test_repairing_again_makes_another_file_with_the_media(sound: Path, damaged: Path) -> None:
    add_media(damaged, [b"a picture"])
    wreck(damaged, leaves_of(damaged, "nodes")[1:2])

    first, second = repair(damaged), repair(damaged)

    assert (first.path.name, second.path.name) == ("grove-recovered.loom", "grove-recovered-2.loom")
    for made in (first, second):
        assert [file.read_bytes() for file in media_folder(made.path).iterdir()] == [b"a picture"]


def test_a_damaged_grove_opens_for_reading_and_leaves_nothing_behind(
    damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "aside").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "aside"))
    wreck(damaged, leaves_of(damaged, "nodes")[1:2])
    before = state(damaged.parent)

    with open_damaged(damaged) as grove:
        row = grove.trees()[-1]
        tree = grove.load_tree(row.id)
        with pytest.raises(GroveError) as error:
            grove.commit(tree, node_edits.annotate(tree, tree.root_id, "a note", Hand().pen()))
        assert (grove.path, grove.read_only, error.value.code) == (damaged, True, "readOnly")
        assert "is damaged" in grove.notice
        assert len(tree.nodes) == NODES

    assert list((tmp_path / "aside").iterdir()) == []
    assert state(damaged.parent) == before


def test_steps_of_undo_survive_in_trees_that_are_whole_and_go_where_they_lead_nowhere(damaged: Path) -> None:
    wreck(damaged, leaves_of(damaged, "nodes")[1:2])

    saved = repair(damaged)

    with open_grove(saved.path) as grove:
        for row, report in zip(grove.trees(), saved.trees, strict=True):
            tree = grove.load_tree(row.id)
            undone = 0
            while grove.undo(tree):
                undone += 1
            assert (undone > LENGTH) == report.history_kept
