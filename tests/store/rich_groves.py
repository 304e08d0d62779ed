"""A grove in which every column holds something and every hash is true, and single edits of each."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Integer, LargeBinary, Table

from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.model.agent import Agent, Configuration, RunLimits
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import (
    BranchSummary,
    ContextSummary,
    IncludedAnnotations,
    Interrupted,
    Link,
    Metadata,
    Tag,
)
from loomapp.core.model.tree import Tree
from loomapp.formats import loom_json
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove
from loomapp.store.schema import metadata
from tests.data.golden.make_grove import walk
from tests.kit.groves import generated
from tests.kit.loom_files import everything
from tests.kit.trees import Hand

NEVER_WRITTEN = {"drafts"}
ROWS = 3  # of each column that are edited
SMOL = Agent(
    "smol",
    "Smol",
    "model",
    "local:smol",
    Configuration("Be brief.", 0.7, 160, ("\n\n",), {"top_p": 0.9}),
    colour="a2",
    archived_at=1_790_000_000_000,
    extra={"kept": 1},
    run_limits=RunLimits(8, 20_000, 300),
)


def rich_grove(path: Path) -> Path:
    """A closed grove of three trees: one from a file with everything, and two with a past."""
    with create_grove(path) as grove:
        imported = loom_json.read(json.dumps(everything()))
        grove.add_tree(imported.tree, imported.agents, imported.evidence)
        walk(grove)
        _marked(grove)
        grove.put_agent(SMOL)
        grove.put_agent(replace(SMOL, name="Smol 360M"))
        grove.put_setting("window.agent", SMOL.id)
        grove.put_setting("window.agents", [SMOL.id])
    return path


def _marked(grove: Grove) -> None:
    """A dialogue with marks of every kind, an answer that was cut short, and answers that are undone."""
    hand = Hand()
    pen = hand.pen(grove.owner.id)
    tree = tree_edits.new_tree("dialogue", "Marks", pen)
    grove.add_tree(tree, [grove.owner, SMOL])
    change = node_edits.add_node(tree, tree.root_id, "What is a tide?", hand.pen(grove.owner.id))
    grove.commit(tree, change)
    asked = change.added_nodes()[0].id
    grove.commit(tree, _cut_short(generated(tree, asked, ["Water that", "The sea, twice a day."], hand)))
    one, two = tree.children(asked)
    grove.commit(tree, _marks(tree, asked, one, two, hand))
    note = node_edits.annotate(tree, one, "Ask again.", hand.pen(grove.owner.id))
    grove.commit(tree, note)
    rows = (RowChange(tree.included_annotations, IncludedAnnotations((note.added_nodes()[0].id,))),)
    grove.commit(tree, Change(tree.loom.id, "Include", hand.pen().now, rows))
    grove.commit(tree, generated(tree, two, ["Undone."], hand))
    flagged = tree.children(two)[0]
    after = replace(tree.nodes[flagged], summary="gone", metadata=Metadata(True, "b", extra={"k": 1}))
    grove.commit(tree, Change(tree.loom.id, "Mark", hand.pen().now, (RowChange(tree.nodes[flagged], after),)))
    grove.undo(tree)
    grove.undo(tree)
    told = replace(tree.loom, description="On tides", summary="Tides.", system_context="Be brief.")
    settings = tree_edits.change_loom(tree, "Settings", hand.pen(), told)
    assert settings is not None
    grove.commit(tree, settings)
    grove.undo(tree)
    grove.redo(tree)


def _cut_short(change: Change) -> Change:
    first = change.added_nodes()[0]
    cut = replace(first, interrupted=Interrupted("cancelled", {"kept": 1}))
    evidence = tuple(replace(item, texts={**item.texts, first.id: "stopped"}) for item in change.evidence)
    rows = tuple(RowChange(None, cut) if row.after is first else row for row in change.rows)
    return replace(change, rows=rows, evidence=evidence)


def _marks(tree: Tree, asked: str, one: str, two: str, hand: Hand) -> Change:
    rows = (
        RowChange(None, Tag("sea", "#123456", (asked, two), {"kept": 1})),
        RowChange(None, Tag("again", None, (one,))),
        RowChange(None, Link(one, tree.loom.id, two, "see", {"kept": 1})),
        RowChange(None, Link(two, "elsewhere", "x")),
        RowChange(None, BranchSummary(one, {"title": "Tides"})),
        RowChange(None, BranchSummary(two, {"title": "Seas"})),
        RowChange(None, ContextSummary(one, "ab" * 32, {"text": "tides"})),
        RowChange(None, ContextSummary(two, "cd" * 32, {"text": "seas"})),
    )
    return Change(tree.loom.id, "Marks", hand.pen().now, rows)


@dataclass(frozen=True, slots=True)
class Edit:
    """One cell given another value."""

    table: str
    column: str
    key: tuple[object, ...]
    value: object
    what: str

    @property
    def place(self) -> str:
        """The column as a table of columns names it."""
        return f"{self.table}.{self.column}"

    def do(self, path: Path) -> bool:
        """Make it; False if the file refuses it."""
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            return self.do_in(database)

    def do_in(self, database: sqlite3.Connection) -> bool:
        """Make it by a connection that is open; False if the file refuses it."""
        keys = " AND ".join(f"{column.name} = ?" for column in metadata.tables[self.table].primary_key)
        value = "CAST(x'ff61' AS TEXT) || ?" if self.what == "no Unicode" else "?"
        sql = f"UPDATE OR IGNORE {self.table} SET {self.column} = {value} WHERE {keys}"
        with suppress(sqlite3.IntegrityError):
            return database.execute(sql, (self.value, *self.key)).rowcount == 1
        return False


def every_edit(path: Path) -> Iterator[Edit]:
    """For each column of each table, other values in some of its rows."""
    with closing(sqlite3.connect(path)) as database:
        for table in metadata.sorted_tables:
            names = [column.name for column in table.columns]
            keys = [names.index(column.name) for column in table.primary_key]
            rows = database.execute(f"SELECT * FROM {table.name}").fetchall()
            for place, column in enumerate(table.columns):
                for row in _some([row for row in rows if row[place] is not None]):
                    key = tuple(row[at] for at in keys)
                    for what, value in _others(table, column, row[place]):
                        yield Edit(table.name, column.name, key, value, what)


def every_other_kind(path: Path) -> Iterator[Edit]:
    """In each column of JSON, a number or flag as another kind of value that Python finds equal; in each
    column of flags, what is neither 0 nor 1.
    """
    for edit in every_edit(path):
        column = metadata.tables[edit.table].columns[edit.column]
        if isinstance(column.type, JSON) and edit.what == "another value":
            for text in _of_another_kind(_cell(path, edit)):
                yield replace(edit, what="another kind", value=text)
        if isinstance(column.type, Boolean) and edit.what == "the opposite":
            for value in (2, -1, "x"):
                yield replace(edit, what="no flag", value=value)


WRONG: Mapping[str, object] = {
    "nothing": None,
    "bytes": b"\xff\x00",
    "an odd text": "0x",
    "a fraction": 0.5,
    "a huge number": 2**62,
    "less than nothing": -(2**62),
    "no finite number": math.inf,
    "no Unicode": "no Unicode",  # see `Edit.do`
}


def every_wrong_kind(path: Path) -> Iterator[Edit]:
    """For each column of each table values of every other kind, in its last row that has one there."""
    seen: dict[str, Edit] = {edit.place: edit for edit in every_edit(path)}
    for edit in seen.values():
        for what, value in WRONG.items():
            yield replace(edit, what=what, value=value)


def _cell(path: Path, edit: Edit) -> str:
    keys = " AND ".join(f"{column.name} = ?" for column in metadata.tables[edit.table].primary_key)
    with closing(sqlite3.connect(path)) as database:
        query = f"SELECT {edit.column} FROM {edit.table} WHERE {keys}"
        return str(database.execute(query, edit.key).fetchone()[0])


def _of_another_kind(text: str) -> Iterator[str]:
    """The JSON text with one flag or whole number written as another kind."""
    for found in re.finditer(
        r"(?<=[:\[,] )(?:true|false|\d+)(?=[,}\]])|(?<=\[)(?:true|false|\d+)(?=[,}\]])", text
    ):
        others = {"true": ["1"], "false": ["0"], "1": ["1.0", "true"], "0": ["0.0", "false"]}
        for other in others.get(found[0], [f"{found[0]}.0"]):
            yield text[: found.start()] + other + text[found.end() :]


def _some(rows: list[Any]) -> list[Any]:
    """The first, the last, and one in between."""
    return rows if len(rows) <= ROWS else [rows[0], rows[len(rows) // 2], rows[-1]]


def _others(table: Table, column: Column[Any], value: Any) -> Iterator[tuple[str, object]]:
    match column.type:
        case JSON():
            yield "another value", _other_json(json.loads(value))
        case Boolean():
            yield "the opposite", 1 - value
        case Integer():
            yield "one more", value + 1
            if column.primary_key and column.autoincrement:
                yield "the last", value + 100_000
        case LargeBinary():
            yield "another byte", value[:-1] + bytes([value[-1] ^ 1])
        case _:
            yield "another letter", f"{value[:-1]}{'y' if value.endswith('x') else 'x'}"
    if column.nullable:
        yield "nothing", None


def _other_json(value: Any) -> str:
    if isinstance(value, dict):
        name = next(iter(value), "new")
        return json.dumps({**value, name: "forged"})
    return json.dumps([*value, "forged"] if isinstance(value, list) else "forged")
