"""Every column of every table edited once: verify names it, or the README lists it as not provable."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

import loomapp.formats
from loomapp.cli import entry
from loomapp.core.errors import LoomError
from loomapp.core.model.raw_response import UNREADABLE
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.open import read_grove
from loomapp.store.schema import metadata
from tests.kit.families import one_in
from tests.store.checks.resealing import rehash, rewrite_log, run
from tests.store.rich_groves import (
    NEVER_WRITTEN,
    Edit,
    every_edit,
    every_other_kind,
    every_wrong_kind,
)

README = Path(loomapp.formats.__file__).with_name("README.md")
NEVER = re.compile(r"text|content|position|author|name|model|configuration|pruned|excluded|bookmark|body")
KINDS_TOLD_APART = {
    "agents.permissions",
    "agents.configuration",
    "agents.extra",
    "trees.extra",
    "trees.path_extra",
    "trees.file_extra",
    "trees.buffer_mode_system_context",
    "branch_summaries.body",
    "tags.extra",
    "links.extra",
    "nodes.metadata_extra",
    "nodes.excluded",
    "change_log.undoable",
    "change_log.done",
}
COLUMNS = {
    f"{t.name}.{c.name}" for t in metadata.sorted_tables for c in t.columns if t.name not in NEVER_WRITTEN
}
SAMPLE = "one a column, of a quarter of the columns"
HOW_MANY = [SAMPLE, *(pytest.param(how_many, marks=pytest.mark.slow) for how_many in ("one a column", "all"))]


def not_provable() -> set[str]:
    """The columns that the README of the formats lists."""
    section = (
        README.read_text(encoding="utf-8").partition("## What cannot be proved")[2].partition("\n## ")[0]
    )
    return set(re.findall(r"^\| `([a-z_]+\.[a-z_]+)`", section, re.MULTILINE))


def is_named(path: Path) -> bool:
    try:
        with read_grove(path) as grove:
            return verify_grove(grove).failed
    except LoomError:
        return True


def done(edits: Iterable[Edit], sound: Path, path: Path, how_many: str) -> Iterator[Edit]:
    """Make edits, each in a fresh copy of a grove: all that the file takes, or one of each column, or of
    every fourth column, its kind and its row another from column to column.
    """
    for number, (_, column) in enumerate(groupby(edits, lambda edit: edit.place)):
        own = list(column)
        if how_many == SAMPLE and number % 4:
            continue
        first = number % len(own)
        for edit in own[first:] + own[:first]:
            path.write_bytes(sound.read_bytes())
            if edit.do(path):
                yield edit
                if how_many != "all":
                    break


def test_a_sound_grove_passes_and_leaves_no_column_empty(rich: Path) -> None:
    seen = {edit.place for edit in every_edit(rich)}

    assert not is_named(rich)
    assert seen == COLUMNS


@pytest.mark.parametrize("how_many", HOW_MANY)
def test_the_same_number_as_another_kind_of_value_is_named_in_every_cell(
    rich: Path, tmp_path: Path, how_many: str
) -> None:
    path = tmp_path / "edited.loom"
    unseen: list[str] = []
    places: set[str] = set()

    for edit in done(every_other_kind(rich), rich, path, how_many):
        places.add(edit.place)
        if not is_named(path):
            unseen.append(f"{edit.place} {edit.key}: {edit.value!r}")

    assert unseen == []
    assert len(places & KINDS_TOLD_APART) >= (3 if how_many == SAMPLE else len(KINDS_TOLD_APART))


CELLS = {
    "an agent's type in bytes": "UPDATE agents SET type = x'ff' WHERE agent_id = 'smol'",
    "an agent's type that there is not": "UPDATE agents SET type = 'humanx' WHERE is_owner",
    "an agent's id in bytes": "UPDATE agents SET agent_id = x'00' WHERE agent_id = 'smol'",
    "no owner": "UPDATE agents SET is_owner = 0",
    "a title in bytes": "UPDATE trees SET title = x'ff'",
    "a title that is no Unicode": "UPDATE trees SET title = CAST(x'ff' AS TEXT)",
    "an edge's time in hexadecimal": "UPDATE edges SET created_at = '0x' WHERE created_at = 0",
    "a fraction of an edge's time": "UPDATE edges SET created_at = 0.5 WHERE created_at = 0",
    "an edge's time in no calendar": f"UPDATE edges SET created_at = {2**62} WHERE created_at = 0",
    "a configuration that is no JSON": "UPDATE agents SET configuration = '{' WHERE agent_id = 'smol'",
    "a choice of a large number": f"UPDATE node_responses SET choice_index = {2**62}",
    "a choice that is no number": "UPDATE node_responses SET choice_index = 'x'",
}


@pytest.mark.parametrize("name", one_in(4, CELLS))
def test_a_cell_that_nobody_can_read_is_named_in_one_line(
    rich: Path, tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "edited.loom"
    path.write_bytes(rich.read_bytes())
    run(path, "UPDATE edges SET created_at = 0")
    rewrite_log(path, links=True)
    assert entry.run(["verify", "--grove", str(path)]) == 0
    capfd.readouterr()

    run(path, CELLS[name])
    status = entry.run(["verify", "--grove", str(path)])

    said = capfd.readouterr()
    assert (status, said.err) == (1, "")
    assert "failed: " in said.out


@pytest.mark.slow
@pytest.mark.parametrize("table", [t.name for t in metadata.sorted_tables if t.name not in NEVER_WRITTEN])
def test_a_cell_of_another_kind_is_named_in_lines_by_themselves(
    rich: Path, tmp_path: Path, table: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "edited.loom"
    unseen: list[str] = []

    for edit in every_wrong_kind(rich):
        if edit.table != table:
            continue
        path.write_bytes(rich.read_bytes())
        if not edit.do(path):
            continue
        capfd.readouterr()
        status = entry.run(["verify", "--grove", str(path)])
        said = capfd.readouterr()
        is_named = status == 1 and "failed: " in said.out
        if said.err or not (is_named or (status == 0 and edit.place in not_provable())):
            unseen.append(f"{edit.place}: {edit.what}: {status} {said.err or said.out}")

    assert unseen == []


HELD_BY_A_RESPONSE = {"nodes.text", "nodes.author_type", "node_responses.choice_index", "responses.body_gzip"}
OF_A_MODEL = """SELECT nodes.id, response FROM nodes JOIN node_responses ON node = nodes.id
    JOIN trees ON trees.id = tree WHERE present AND title = 'Marks'"""


def test_what_a_response_says_is_named_though_log_and_sums_are_made_anew(rich: Path, tmp_path: Path) -> None:
    path = tmp_path / "edited.loom"
    with closing(sqlite3.connect(rich)) as database:
        numbers = database.execute(OF_A_MODEL).fetchall()
    named: set[str] = set()

    for edit in every_edit(rich):
        if edit.place not in HELD_BY_A_RESPONSE or edit.place in named:
            continue
        for node, response in numbers:
            path.write_bytes(rich.read_bytes())
            key = (response if edit.table == "responses" else node,)
            value = 99 if edit.table == "node_responses" else edit.value
            assert replace(edit, key=key, value=value).do(path)
            try:
                rehash(path)
                rewrite_log(path, links=True)
            except UNREADABLE:
                pass  # a response that nobody can unpack gives no hash
            assert is_named(path), (edit.place, node)
        named.add(edit.place)

    assert named == HELD_BY_A_RESPONSE


@pytest.mark.parametrize("how_many", HOW_MANY)
def test_every_single_edit_is_named_or_listed(rich: Path, tmp_path: Path, how_many: str) -> None:
    path = tmp_path / "edited.loom"
    unseen: dict[str, set[str]] = {}
    count, places = 0, set[str]()

    for edit in done(every_edit(rich), rich, path, how_many):
        count += 1
        places.add(edit.place)
        if not is_named(path):
            unseen.setdefault(edit.place, set()).add(f"{edit.what} in {edit.key}")

    assert places <= COLUMNS
    assert len(places) == (-(-len(COLUMNS) // 4) if how_many == SAMPLE else len(COLUMNS))
    assert count >= (250 if how_many == "all" else len(places))
    assert {place: what for place, what in unseen.items() if place not in not_provable()} == {}
    assert len(not_provable()) <= 20
    assert not [place for place in not_provable() if NEVER.search(place.partition(".")[2])]
