"""Reports of an import: each tree of each file, before and after it comes in, as text or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from loomapp.cli.import_files import ImportFile
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.core.json_values import Json
from loomapp.core.times import Milliseconds, iso_time
from loomapp.formats.importer import Damaged, Found
from loomapp.store.rows.new_trees import Added

NO_TITLE = "(no title)"
SayRow: TypeAlias = Callable[[Json], None]


@dataclass(slots=True)
class Survey:
    """Contents of one file: rows of trees as the preview prints them, and of those that are left out."""

    file: ImportFile
    trees: list[Json] = field(default_factory=list)
    skipped: list[Json] = field(default_factory=list)

    def to_json(self) -> Json:
        """Return the survey as `--preview --json` prints it."""
        detected = self.file.detected
        value: Json = {"path": self.file.name, "format": detected.importer.name, "why": str(detected.why)}
        return {**value, "trees": self.trees, **({"skipped": self.skipped} if self.skipped else {})}


def file_row(file: ImportFile) -> Json:
    """A file as a window hears of it while it is read."""
    importer = file.detected.importer
    about: Json = {"path": file.name, "format": importer.name, "title": importer.title}
    return {**about, "why": str(file.detected.why), "size": file.size}


def tree_row(found: Found, here: frozenset[str] | None) -> Json:
    """A tree that was found; `here` are the nodes of that tree that the grove has."""
    facts = found.facts()
    row: Json = {
        "id": found.id,
        "title": found.title,
        "nodes": len(facts.node_ids),
        "branches": facts.branches,
        "from": _time(facts.first_at),
        "to": _time(facts.last_at),
        "losses": [str(loss) for loss in facts.losses],
    }
    if facts.notes:
        row["notes"] = [str(note) for note in facts.notes]
    if facts.authors:
        row["authors"] = list(facts.authors)
    if facts.has_system_context:
        row["systemContext"] = True
    if here is not None:
        row["here"] = {"new": sum(1 for node_id in facts.node_ids if node_id not in here)}
    return row


def skipped_row(damaged: Damaged) -> Json:
    """A tree that cannot be read."""
    row: Json = {"id": damaged.id, "title": damaged.title, "reason": str(damaged.reason)}
    return {**row, "to": _time(damaged.last_at)}


def _time(at: Milliseconds | None) -> str | None:
    return None if at is None else iso_time(at)


def print_preview(surveys: list[Survey]) -> None:
    """A line for each tree, under the name of its file."""
    for survey in surveys:
        detected = survey.file.detected
        title, why = detected.importer.title, detected.why
        say(f"{one_line(survey.file.name)}: {title}, recognised by its content: {why}")
        for row in survey.trees:
            say(f"  {one_line(str(row['id']))} {one_line(_title(row))}: {_facts(row)}")
        for row in survey.skipped:
            say(f"  left out: {one_line(_title(row))}: {row['reason']}")
    count = sum(len(survey.trees) for survey in surveys)
    nodes = sum(int(str(row["nodes"])) for survey in surveys for row in survey.trees)
    say(f"{_counted(count, 'tree')}, {_counted(nodes, 'node')}. Nothing was written.")


def _title(row: Json) -> str:
    return str(row["title"] or NO_TITLE)


def _facts(row: Json) -> str:
    facts = [
        _counted(int(str(row["nodes"])), "node"),
        _counted(int(str(row["branches"])), "branch", "branches"),
    ]
    if row["from"]:
        facts.append(f"{str(row['from'])[:10]} to {str(row['to'])[:10]}")
    here = row.get("here")
    if isinstance(here, dict):
        facts.append(f"already here: {here['new']} new")
    for name in ("losses", "notes"):
        texts = row.get(name)
        facts += map(str, texts) if isinstance(texts, list) else ()
    return ", ".join(facts)


def _counted(count: int, one: str, several: str = "") -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {several or one + 's'}"


def print_added(added: Added, title: str, told: Sequence[str], say_row: SayRow | None) -> None:
    """A tree that came in, with what is told of it, as text or by `say_row`."""
    if say_row is None:
        words = " ".join([added.message, *(f"{text[:1].upper()}{text[1:]}." for text in told)])
        say(f"{added.tree_id} {one_line(title)}: {one_line(words)}")
        return
    row: Json = {"treeId": added.tree_id, "title": title, "outcome": added.outcome}
    row |= {"nodes": added.node_count, "message": added.message}
    say_row({**row, **({"losses": list(told)} if told else {})})


def print_skipped(file: ImportFile, damaged: Damaged, say_row: SayRow | None) -> None:
    """A tree that was left out, and why."""
    words = f"“{damaged.title or NO_TITLE}” was left out: {damaged.reason}"
    if say_row is None:
        tell(f"{file.name}: {words}")
        return
    row: Json = {"treeId": damaged.id, "title": damaged.title, "outcome": "skipped", "nodes": 0}
    say_row({**row, "message": words})


def say_event(name: str) -> SayRow:
    """Says rows as events of this name, for a window that reads along."""
    return lambda row: say_json({"event": name, **row})
