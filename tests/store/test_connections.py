"""Every connection has its pragmas, in their order; the journal suits the place of the file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event

from loomapp.core.edits import node_edits
from loomapp.core.errors import GroveError
from loomapp.store import connections
from loomapp.store.backups.backup import back_up
from loomapp.store.checks.check import check
from loomapp.store.connections import CountedConnection, connect, open_engine
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.migrations import bring_up_to_date
from loomapp.store.opening import file_names
from loomapp.store.opening.file_names import kind_of_mount
from loomapp.store.salvage.salvage import repair
from loomapp.store.schema import APPLICATION_ID, VERSION
from loomapp.store.statements import driver
from tests.kit.groves import agree, planted
from tests.kit.locks import wait_little
from tests.kit.trees import Hand
from tests.store import old_groves

ASKED = {"busy_timeout": 5000, "foreign_keys": 1, "synchronous": 2, "trusted_schema": 0, "cell_size_check": 1}


def answers(connection: sqlite3.Connection) -> dict[str, int]:
    return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ASKED}


def test_the_pragmas_come_in_the_order_in_which_they_must() -> None:
    assert [name for name, _ in connections.PRAGMAS] == list(ASKED)


@pytest.mark.parametrize("access", ["rw", "query", "ro", "immutable"])
def test_a_bare_connection_has_every_pragma(path: Path, access: connections.Access) -> None:
    create_grove(path).close()

    with closing(connect(path, access)) as connection:
        assert answers(connection) == ASKED


def test_every_connection_of_an_engine_has_every_pragma(path: Path) -> None:
    create_grove(path).close()
    engine = open_engine(path)

    with engine.connect() as first, engine.connect() as second:
        found = [answers(driver(connection)) for connection in (first, second)]
    engine.dispose()

    assert found == [ASKED, ASKED]


def test_a_writer_looks_again_and_again_whether_the_file_is_free(path: Path) -> None:
    create_grove(path).close()
    looks: list[str] = []
    with closing(connect(path)) as other, closing(connect(path)) as mine:
        other.execute("BEGIN IMMEDIATE")

        def note(statement: str) -> None:
            looks.append(statement)
            if looks.count("BEGIN IMMEDIATE") == 10:  # SQLite by itself would have been told once
                other.execute("COMMIT")

        mine.set_trace_callback(note)
        connections.begin_writing(mine)

        assert mine.in_transaction
        assert looks.count("BEGIN IMMEDIATE") in (10, 11)
        mine.execute("ROLLBACK")
        assert answers(mine) == ASKED


def test_a_writer_waits_no_longer_than_it_is_patient(path: Path) -> None:
    create_grove(path).close()
    with closing(connect(path)) as other, closing(connect(path)) as mine:
        other.execute("BEGIN IMMEDIATE")
        mine.execute("PRAGMA busy_timeout=20")

        with pytest.raises(sqlite3.OperationalError, match="locked"):
            connections.begin_writing(mine)

        assert answers(mine) == {**ASKED, "busy_timeout": 20}


def test_no_other_way_leads_to_the_file(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Opening, reading, writing, backing up, checking, salvaging, migrating: all have the pragmas.

    Migrations and salvage move rows whose references lead nowhere yet: they look at them at their end.
    """
    seen: list[sqlite3.Connection] = []
    without_references = []
    bare = sqlite3.connect

    class Watched(CountedConnection):
        def close(self) -> None:
            if self not in seen:
                seen.append(self)
                found = answers(self)
                without_references.append(found["foreign_keys"] == 0)
                assert {**found, "foreign_keys": 1} == ASKED
            super().close()

    def watched(*args: object, **rest: object) -> sqlite3.Connection:
        return bare(*args, **{**rest, "factory": Watched})  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(sqlite3, "connect", watched)
    with create_grove(path) as grove:
        planted(grove, Hand())
    with open_grove(path) as grove:
        grove.trees()
    with read_grove(path) as grove:
        grove.trees()
    assert len(seen) >= 6
    assert not any(without_references)
    back_up(path)
    check(path)
    assert not any(without_references)
    repair(path)
    bring_up_to_date(path, 1, old_groves.MIGRATIONS)

    assert len(seen) >= 15
    assert any(without_references)


def test_writing_takes_the_lock_at_its_first_step(path: Path) -> None:
    create_grove(path).close()
    engine = open_engine(path)
    said: list[str] = []

    @event.listens_for(engine, "connect")
    def trace(connection: sqlite3.Connection, _record: object) -> None:
        connection.set_trace_callback(said.append)

    with engine.begin():
        pass
    with engine.execution_options(writes=True).begin():
        pass
    engine.dispose()

    assert [line for line in said if line.startswith("BEGIN")] == ["BEGIN", "BEGIN IMMEDIATE"]


def test_a_grove_is_marked_as_ours_and_keeps_a_write_ahead_log_while_open(path: Path) -> None:
    with create_grove(path):
        with closing(connect(path)) as connection:
            marks = [
                connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("application_id", "user_version", "journal_mode")
            ]
        assert path.with_name(path.name + "-wal").exists()

    assert marks == [APPLICATION_ID, VERSION, "wal"] == [0x4C4F4F4D, 4, "wal"]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:40 / /mnt/with\\040space rw - cifs //server/share rw
24 22 0:41 / /mnt rw - ext4 /dev/vdb rw
25 22 0:42 / /home rw master:2 - nfs4 server:/home rw
26 25 0:43 / /home/ada/local rw - xfs /dev/vdc rw
27 22 0:44 / /twice rw - nfs server:/twice rw
28 27 0:45 / /twice rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/grove.loom", "ext4"),
        ("/mnt/with space/grove.loom", "cifs"),
        ("/home/ada/grove.loom", "nfs4"),
        ("/home/ada/local/grove.loom", "xfs"),
        ("/homestead/grove.loom", "ext4"),
        ("/twice/grove.loom", "tmpfs"),
    ],
)
def test_the_innermost_mount_tells_the_file_system(path: str, kind: str) -> None:
    assert kind_of_mount(Path(path), MOUNTS) == kind


def test_on_a_network_folder_one_program_has_the_grove_and_there_is_no_wal(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 1 0:1 / / rw - ext4 /dev/vda rw\n23 22 0:2 / {tmp_path} rw - nfs server:/x rw\n")
    monkeypatch.setattr(file_names, "MOUNTS", mounts)
    wait_little(monkeypatch)
    hand = Hand()

    with create_grove(path) as grove:
        tree, _ = planted(grove, hand)
        grove.commit(tree, node_edits.annotate(tree, tree.root_id, "a note", hand.pen()))
        assert agree(grove, tree)
        with pytest.raises(GroveError) as error:
            open_grove(path)
        assert not path.with_name(path.name + "-wal").exists()

    assert error.value.code == "locked"
    assert "network folder" in grove.notice
    with open_grove(path) as grove:
        assert agree(grove, tree)


def test_a_grove_that_was_made_elsewhere_loses_its_wal_on_a_network_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    create_grove(path).close()
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"23 22 0:2 / {tmp_path} rw - cifs //server/x rw\n")
    monkeypatch.setattr(file_names, "MOUNTS", mounts)

    with open_grove(path) as grove:
        planted(grove, Hand())
        assert not path.with_name(path.name + "-wal").exists()
