"""A journal beside a grove that names another file is refused: SQLite deletes that file once it was read."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from loomapp.core.errors import GroveError
from loomapp.store.checks.check import check
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.salvage.salvage import repair

MAGIC = bytes.fromhex("d9d505f920a163d7")
SECTOR = 512


def journal_naming(other: Path, grove: Path) -> bytes:
    """A journal with no pages, as of a change of several databases that was written down in another file."""
    data = grove.read_bytes()
    page = int.from_bytes(data[16:18], "big")
    header = MAGIC + struct.pack(">5I", 0, 1, len(data) // page, SECTOR, page)
    name = str(other).encode()
    place = struct.pack(">I", 2**30 // page + 1)
    return header.ljust(SECTOR, b"\0") + place + name + struct.pack(">2I", len(name), sum(name)) + MAGIC


@pytest.mark.parametrize(
    "use",
    [
        lambda path: read_grove(path).close(),
        lambda path: open_grove(path).close(),
        lambda path: check(path).problems,
        lambda path: repair(path, path.with_name("copy.loom")),
    ],
    ids=["read", "open", "check", "repair"],
)
def test_no_file_that_a_journal_names_is_deleted(path: Path, use: Callable[[Path], object]) -> None:
    create_grove(path).close()
    other, journal = path.with_name("novel.txt"), path.with_name(f"{path.name}-journal")
    other.write_text("My only copy")
    journal.write_bytes(journal_naming(other, path))
    before = path.read_bytes()

    with suppress(GroveError):
        use(path)
    with pytest.raises(GroveError) as refused:
        open_grove(path)
    assert refused.value.code == "foreignJournal"
    assert journal.name in refused.value.message

    assert other.read_text() == "My only copy"
    assert path.read_bytes() == before
    journal.unlink()
    read_grove(path).close()
