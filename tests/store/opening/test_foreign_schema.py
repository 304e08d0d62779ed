"""What Loomapp did not make in a grove file is named, and nothing is written until a clean copy is made."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.cli.groves import add_sample
from loomapp.core.errors import GroveError
from loomapp.store import schema
from loomapp.store.checks.check import check
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.opening.look import foreign_in, schema_digest
from loomapp.store.salvage.salvage import repair
from tests.data.golden.make_grove import golden
from tests.kit.damage import state
from tests.kit.families import one_in
from tests.kit.foreign_tables import DISGUISED, STRANGERS, let_in, told_of


@pytest.fixture
def sample(path: Path) -> Path:
    """A grove with a tree in it, that nobody has open."""
    with create_grove(path) as grove:
        add_sample(grove)
        grove.put_setting("kept", {"a": 1})
    return path


def test_what_a_new_grove_holds_is_known_by_its_digest(path: Path) -> None:
    create_grove(path).close()

    with closing(sqlite3.connect(path)) as database:
        assert schema_digest(database) == schema.AS_MADE
        database.execute("CREATE INDEX one ON nodes (text)")
        assert schema_digest(database) != schema.AS_MADE


@pytest.mark.parametrize("name", one_in(6, STRANGERS))
def test_a_grove_with_a_stranger_in_it_is_named_and_not_written(name: str, sample: Path) -> None:
    with read_grove(sample) as grove:
        [row] = grove.trees()
        texts = [node.text for node in grove.load_tree(row.id).nodes.values()]
    let_in(sample, STRANGERS[name])
    before = state(sample.parent)

    with pytest.raises(GroveError) as refused:
        open_grove(sample)

    assert refused.value.code == "foreignSchema"
    assert told_of(name) in refused.value.message
    assert "check --repair" in refused.value.message
    with read_grove(sample) as grove:
        assert told_of(name) in "; ".join(grove.strange)
        assert told_of(name) in grove.notice
        assert [node.text for node in grove.load_tree(row.id).nodes.values()] == texts
    problems = check(sample)
    assert problems.is_damaged
    assert any(p.kind == "foreign" and told_of(name) in p.message for p in problems.problems)
    assert state(sample.parent) == before


@pytest.mark.parametrize("name", one_in(12, STRANGERS))
def test_a_clean_copy_has_all_trees_and_no_stranger(name: str, sample: Path) -> None:
    with read_grove(sample) as grove:
        [row] = grove.trees()
        tree = grove.load_tree(row.id)
        findings = verify_tree(grove, row.id)
        labels = grove.step_labels(row.id)
    let_in(sample, STRANGERS[name])
    before = state(sample.parent)

    copied = repair(sample)

    assert copied.is_complete
    with closing(sqlite3.connect(copied.path)) as database:
        assert foreign_in(database, schema.VERSION) == ()
    with open_grove(copied.path) as grove:
        copy = grove.load_tree(row.id)
        assert (copy.nodes, copy.edges, copy.path) == (tree.nodes, tree.edges, tree.path)
        assert verify_tree(grove, row.id) == findings
        assert grove.step_labels(row.id) == labels
        grove.put_setting("written", {"b": 2})
    assert check(copied.path).problems == ()
    after = state(sample.parent)
    assert {name: after[name] for name in before} == before


def test_an_index_of_ours_that_was_dropped_is_named_by_a_check(sample: Path) -> None:
    let_in(sample, "DROP INDEX ix_agents_owner;")

    assert [(one.kind, one.message) for one in check(sample).problems] == [
        ("structure", "the index ix_agents_owner is missing")
    ]
    assert check(repair(sample).path).problems == ()


def test_a_view_in_place_of_a_table_is_not_read_for_it(sample: Path) -> None:
    let_in(
        sample,
        "PRAGMA legacy_alter_table=ON; ALTER TABLE nodes RENAME TO kept; "
        "CREATE VIEW nodes AS SELECT id, tree, node_id, present, local_id, 'forged' AS text, content, "
        "author_type, author_agent_id, created_at, content_hash, parent_hashes, edited_from, interrupted, "
        "extra, summary, bookmarked, bookmark_label, pruned, excluded, metadata_extra FROM kept;",
    )
    before = state(sample.parent)

    for way in (open_grove, read_grove):
        with pytest.raises(GroveError) as refused:
            way(sample)
        assert refused.value.code == "damaged"
        assert "a view stands in place of its table nodes" in refused.value.message
    assert "a view stands in place" in check(sample).problems[0].message
    assert state(sample.parent) == before


@pytest.mark.parametrize("version", one_in(3, range(1, schema.VERSION + 1)))
def test_a_grove_of_every_version_holds_no_stranger_before_and_after_it_is_brought_up_to_date(
    version: int, path: Path
) -> None:
    shutil.copy(golden(version), path)
    with closing(sqlite3.connect(path)) as database:
        assert foreign_in(database, version) == ()

    open_grove(path).close()

    with closing(sqlite3.connect(path)) as database:
        assert foreign_in(database, schema.VERSION) == ()


def test_an_older_grove_with_a_stranger_is_not_brought_up_to_date(path: Path) -> None:
    shutil.copy(golden(1), path)
    let_in(path, "CREATE TRIGGER t AFTER INSERT ON change_log BEGIN DELETE FROM nodes; END;")
    before = state(path.parent)

    with pytest.raises(GroveError) as refused:
        open_grove(path)

    assert "the trigger “t” on “change_log”" in refused.value.message
    assert state(path.parent) == before


def test_a_trigger_that_is_entered_as_a_table_of_sqlite_is_refused_too(sample: Path) -> None:
    let_in(sample, DISGUISED)
    before = state(sample.parent)

    with pytest.raises(GroveError) as refused:
        open_grove(sample)

    assert refused.value.code in ("damaged", "foreignSchema")
    assert state(sample.parent) == before


def test_what_sqlite_keeps_for_itself_is_no_stranger(sample: Path) -> None:
    let_in(sample, "ANALYZE;")

    open_grove(sample).close()


def test_of_many_strangers_some_are_named_and_the_others_counted(sample: Path) -> None:
    let_in(sample, "".join(f"CREATE TABLE t{number} (a);" for number in range(8)))

    with pytest.raises(GroveError) as refused:
        open_grove(sample)

    assert "the table “t0”; the table “t1”; the table “t2”; and 5 more." in refused.value.message
