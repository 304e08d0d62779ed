"""Older groves are backed up and brought up to date in steps that happen or do not."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.operations import Operations

from loomapp.core.edits.documents import documents_of, text_of
from loomapp.core.errors import GroveError
from loomapp.formats import loom_json
from loomapp.store import migrations, schema
from loomapp.store.backups.backup import back_up, backups_folder
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.migrations import MIGRATIONS, TITLE, bring_up_to_date
from loomapp.store.opening import look as look_module
from loomapp.store.salvage.salvage import repair
from loomapp.store.soundness import PAGE_SIZE
from tests.data.golden.make_grove import golden
from tests.kit.groves import agree, planted
from tests.kit.trees import Hand
from tests.store import old_groves
from tests.store.old_groves import ask
from tests.store.programs import program


@pytest.fixture
def old(path: Path) -> Path:
    """A grove with a few nodes and edges, of version 1."""
    with create_grove(path) as grove:
        planted(grove, Hand())
    return old_groves.unsealed(path)


TABLES = {"nodes": 1, "agents": 1, "branch_summaries": 1, "context_summaries": 1, "change_log": 0}
DOCUMENTS = (
    "INSERT INTO documents VALUES (1, 'd1', 'Notes', 'text/markdown', '# Oaks 🌳', 1, 2, NULL), "
    "(7, 'd2', ' ', '', 'no name', 1, 2, '{\"id\":1}')"
)


def test_there_is_a_migration_for_every_version_but_the_first() -> None:
    assert len(MIGRATIONS) + 1 == schema.VERSION


def test_steps_keep_every_row_and_foreign_keys_hold(old: Path) -> None:
    before = ask(old, "SELECT * FROM edge_sources"), ask(old, "SELECT id, text FROM nodes")

    bring_up_to_date(old, 1, old_groves.MIGRATIONS)

    after = ask(old, "SELECT * FROM edge_sources"), ask(old, "SELECT id, words FROM nodes")
    assert after == before
    assert ask(old, "PRAGMA user_version") == [(3,)]
    assert ask(old, "SELECT colour FROM trees") == [("green",)]
    assert ask(old, "PRAGMA foreign_key_check") == []


def test_the_grove_is_backed_up_first(old: Path) -> None:
    before = ask(old, "SELECT * FROM nodes")

    assert bring_up_to_date(old, 1, old_groves.MIGRATIONS) is not None
    assert bring_up_to_date(old, 1, old_groves.MIGRATIONS) is None, "another program had looked before"

    [backup] = backups_folder(old).iterdir()
    assert ask(backup, "SELECT * FROM nodes") == before
    assert ask(backup, "PRAGMA user_version") == [(1,)]
    with open_grove(backup) as grove:
        assert len(grove.trees()) == 1


@pytest.mark.parametrize(("where", "version"), [("add_a_column", 1), ("rebuild_nodes", 2)])
def test_a_kill_in_the_middle_leaves_the_version_before_and_the_rest_can_follow(
    old: Path, monkeypatch: pytest.MonkeyPatch, where: str, version: int
) -> None:
    before = ask(old, "SELECT id, text FROM nodes")
    monkeypatch.setenv(old_groves.STOP_IN, where)

    with program("migrate", str(old)) as process:
        assert process.wait() == -9

    monkeypatch.delenv(old_groves.STOP_IN)
    assert ask(old, "PRAGMA user_version") == [(version,)]
    assert ask(old, "PRAGMA integrity_check") == [("ok",)]
    assert ask(old, "SELECT id, text FROM nodes") == before
    bring_up_to_date(old, version, old_groves.MIGRATIONS)
    assert ask(old, "SELECT id, words FROM nodes") == before


def test_a_step_that_would_break_a_reference_is_taken_back(old: Path) -> None:
    def lose_nodes(operations: Operations) -> None:
        operations.execute("DELETE FROM nodes")

    with pytest.raises(GroveError, match="would point at nothing") as error:
        bring_up_to_date(old, 1, (lose_nodes,))

    assert error.value.code == "damaged"
    assert ask(old, "SELECT count(*) FROM nodes") == [(4,)]
    assert ask(old, "PRAGMA user_version") == [(1,)]


def test_without_room_for_a_backup_nothing_is_touched(old: Path) -> None:
    backups_folder(old).write_text("a file where the folder would be")
    before = old.read_bytes()

    with pytest.raises(GroveError) as error:
        bring_up_to_date(old, 1, old_groves.MIGRATIONS)

    assert error.value.code == "noBackup"
    assert old.read_bytes() == before


def test_a_backup_holds_what_is_still_in_the_journal(grove: Grove, path: Path, tmp_path: Path) -> None:
    tree, _ = planted(grove, Hand())
    copy = tmp_path / "copies" / "copy.loom"

    back_up(path, copy)

    with open_grove(copy) as opened:
        assert agree(opened, tree)
    assert [file.name for file in copy.parent.iterdir()] == ["copy.loom"]


def test_columns_of_the_file_are_those_of_the_schema(path: Path) -> None:
    create_grove(path).close()
    engine = sa.create_engine(f"sqlite:///{path}")
    inspector = sa.inspect(engine)

    for table in schema.metadata.sorted_tables:
        assert {c["name"] for c in inspector.get_columns(table.name)} == {c.name for c in table.columns}
    engine.dispose()


def test_version_3_makes_room_and_changes_no_row(path: Path) -> None:
    shutil.copy(golden(2), path)
    before = [ask(path, f"SELECT * FROM {table}") for table in TABLES]

    with open_grove(path) as grove:
        assert not [row for tree in verify_grove(grove).trees for row in tree.faults]

    assert [ask(path, f"SELECT * FROM {table}") for table in TABLES] == [
        [(*row, *(None,) * more) for row in rows] for rows, more in zip(before, TABLES.values(), strict=True)
    ]
    assert ask(path, "SELECT * FROM agent_memory") == []


def test_a_kill_in_the_step_to_version_3_leaves_version_2(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(golden(2), path)

    def half(operations: Operations) -> None:
        migrations.add_economy(operations)
        raise OSError("the power fails")

    with pytest.raises(OSError, match="power"):
        bring_up_to_date(path, 2, (migrations.seal_log, half))

    assert ask(path, "PRAGMA user_version") == [(2,)]
    with read_grove(path) as grove:
        assert len(grove.trees()) == 2
    with open_grove(path) as grove:
        assert ask(path, "PRAGMA user_version") == [(schema.VERSION,)]


@pytest.fixture
def with_documents(path: Path) -> Path:
    """A grove of version 3 in whose table of documents another program wrote."""
    shutil.copy(golden(3), path)
    with closing(sqlite3.connect(path)) as database:
        database.execute(DOCUMENTS)
        database.commit()
    return path


def test_version_4_makes_loose_sources_of_rows_in_the_table_of_documents(with_documents: Path) -> None:
    with read_grove(with_documents) as grove:
        faults = verify_grove(grove).faults
        assert [len(grove.trees()), *faults] == [
            2,
            "the table documents holds 2 that the change log does not know",
        ]

    with open_grove(with_documents) as grove:
        verified = verify_grove(grove)
        [made] = [tree for tree in verified.trees if tree.title == TITLE]
        every = documents_of(grove.load_tree(made.tree_id))
        exported = loom_json.write(grove.load_tree(made.tree_id), grove.agents())

    assert (verified.faults, made.failed) == ((), False)
    assert [(one.newest.created_at, dict(one.newest.extra)) for one in every] == [
        (1, {"document": {"updatedAt": "1970-01-01T00:00:00.002Z"}}),
        (1, {"document": {"id": 1, "updatedAt": "1970-01-01T00:00:00.002Z"}}),
    ]
    read = loom_json.read(exported).tree
    assert [read.nodes[one.newest.id] for one in every] == [one.newest for one in every]
    assert [(one.name, text_of(one.newest)) for one in every] == [
        ("Notes", "# Oaks 🌳"),
        ("Documents", "no name"),
    ]
    assert ask(with_documents, "SELECT 1 FROM sqlite_schema WHERE name = 'documents'") == []


def test_they_are_saved_as_loose_sources_by_a_repair_too(with_documents: Path) -> None:
    with_documents.write_bytes(bytes(PAGE_SIZE) + with_documents.read_bytes()[PAGE_SIZE:])

    saved = repair(with_documents)

    with open_grove(saved.path) as grove, read_grove(golden(3)) as before:
        [made] = [tree for tree in verify_grove(grove).trees if tree.title == TITLE]
        every = documents_of(grove.load_tree(made.tree_id))
        for tree in before.trees():
            assert before.load_tree(tree.id).nodes.keys() <= grove.load_tree(tree.id).nodes.keys()
    assert not made.failed
    assert [one.name for one in every] == ["Notes", "Documents"]


def test_a_grove_that_another_program_brings_up_to_date_meanwhile_is_seen_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(golden(3), path)
    columns = look_module._columns

    def renewed_first(connection: sqlite3.Connection) -> set[tuple[str, str]]:
        bring_up_to_date(path, 3)
        return columns(connection)

    monkeypatch.setattr(look_module, "_columns", renewed_first)
    with closing(sqlite3.connect(path)) as other:  # as the other program has it open
        other.execute("SELECT 1 FROM trees").fetchall()
        assert look_module.look(path).version == 3
    monkeypatch.undo()
    assert look_module.look(path).version == schema.VERSION


def test_a_file_that_names_an_older_version_than_its_tables_are_of_is_damaged(path: Path) -> None:
    create_grove(path).close()
    for version in range(1, schema.VERSION):
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"PRAGMA user_version={version}")

        with pytest.raises(GroveError, match="is damaged"):
            open_grove(path)


def test_a_grove_of_version_1_is_sealed_as_a_new_one_is(old: Path, tmp_path: Path) -> None:
    create_grove(tmp_path / "new.loom").close()
    structure = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"

    with open_grove(old) as grove:
        assert f"version-{schema.VERSION}" in next(backups_folder(old).iterdir()).name
        assert grove.is_sealed

    found, new = (
        {(kind, name): " ".join(str(sql).split()) for kind, name, sql in ask(file, structure)}
        for file in (old, tmp_path / "new.loom")
    )
    assert found == new
    assert ask(old, "SELECT count(*) FROM change_log WHERE length(link) != 64") == [(0,)]
