"""Files and folders that trees come from: the format of each, what is found in it, and the report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.core.times import Milliseconds, iso_time
from loomapp.formats.importer import Damaged, Detected, Finding, Found, Importer, Reading
from loomapp.formats.registry import DOCUMENTS, IMPORTERS, detect, known_kind, known_tree
from loomapp.formats.sources import MemberSource, Source, open_source
from loomapp.store.rows.new_trees import Added

NOT_RECOGNISED = sentence("nothing else recognised it, and it was read as that")
ASKED_FOR = sentence("you asked for this format")
MOST_BESIDE = 50  # files of a zip that are looked at for other formats
_IN_ZIPS = (".json", ".jsonl", ".tapestry")
_MAY_BE_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:[\[{]|\Z)|\0")  # or it is empty, or zeros, which is said


class ImportFile(NamedTuple):
    """A file, zip or folder by the name that it was given, and the format it is read as. `memory` holds what
    was found out of it for that: to look at its beginning again would take as long as a tenth of its reading.
    """

    name: str
    size: int
    detected: Detected
    memory: Mapping[str, tuple[object, ...]]

    def read(self, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
        """Yield its trees one after the other. Raises: InvalidInput, naming the file and the place."""
        with complaints_named(self.name), open_source(Path(self.name)) as source:
            source.memory |= self.memory
            yield from self.detected.importer.read(source, reading, progress)
            if not source.is_single and not source.is_folder:
                yield from _beside(source, self.detected.importer)


def import_files(
    names: Iterable[str], format_name: str | None, tell: Callable[[str], None]
) -> list[ImportFile]:
    """The files that arguments name, those of a folder one by one unless the whole is one export.

    `tell` hears of what is passed over. Raises: InvalidInput if a name leads to nothing that is read.
    """
    found: list[ImportFile] = []
    for name in names:
        with complaints_named(name), open_source(Path(name)) as source:
            if Path(name).is_dir():
                found += _of_folder(name, source, format_name, tell)
            else:
                found.append(ImportFile(name, source.size, _detected(source, format_name), source.memory))
    return found


def _of_folder(
    name: str, source: Source, format_name: str | None, tell: Callable[[str], None]
) -> list[ImportFile]:
    """The export that the folder is, if it is one, and its files of other formats one by one."""
    whole = detect(source)
    if whole is not None and format_name not in (None, whole.importer.name):
        whole = None
    found = [ImportFile(name, source.size, whole, source.memory)] if whole is not None else []
    for inner, what in source.no_files:
        tell(f"{Path(name) / inner}: passed over: {what}")
    below = beside = 0
    for inner in source.names:
        if "/" in inner:
            below += 1
            continue
        path = Path(name) / inner
        try:
            with open_source(path) as file:
                detected, size = _detected_in_folder(file)
                kind = known_kind(file) if whole is None else known_tree(file)
        except (OSError, InvalidInput) as error:
            tell(f"{path}: passed over: {error}")
            continue
        importer = None if detected is None else detected.importer
        if whole is not None and kind is None and importer in (None, whole.importer, *DOCUMENTS):
            beside += importer in DOCUMENTS  # they may be what was attached in its conversations
            if importer is None and path.suffix.lower() in whole.importer.suffixes:
                tell(f"{path}: passed over: it is no {whole.importer.title}")
            continue
        if detected is None or format_name not in (None, detected.importer.name):
            tell(f"{path}: passed over: {kind or 'it is no format that is read'}")
        else:
            found.append(ImportFile(str(path), size, detected, file.memory))
    if beside:
        tell(f"{name}: passed over: {_counted(beside, 'document')} beside the export; choose them by name")
    if below and whole is None:
        tell(f"{name}: passed over: {_counted(below, 'file')} in folders below it; choose those folders too")
    if not found:
        raise InvalidInput("it is a folder with nothing in it that is read; choose a file, or another folder")
    return found


def _beside(archive: Source, chosen: Importer) -> Iterator[Damaged]:
    """Yield a line for each other format of which a zip holds files, with the first of them.

    Of very many files only the first are looked at.
    """
    found: dict[str, list[str]] = {}
    names = (name for name in archive.names if name.lower().endswith(_IN_ZIPS))
    for name in islice(names, MOST_BESIDE):
        with suppress(OSError, InvalidInput):
            detected = detect(MemberSource(archive, name))
            if detected is not None and detected.importer not in (chosen, *DOCUMENTS):
                found.setdefault(detected.importer.title, []).append(name)
    for title, of_format in found.items():
        told = "{count} × {title} is not read with it; read the zip as that, or unpack it"
        yield Damaged("", of_format[0], worded(told, count=len(of_format), title=title), is_beside=True)


def _detected_in_folder(source: Source) -> tuple[Detected | None, int]:
    """The format of a file in a folder, and its size. Raises: OSError, InvalidInput if there is nothing in
    it.
    """
    if not source.size:
        raise InvalidInput("it is empty")
    return detect(source), source.size


def _detected(source: Source, format_name: str | None) -> Detected:
    if format_name is not None:
        return Detected(IMPORTERS[format_name], ASKED_FOR)
    found = detect(source)
    if found is not None:
        return found
    if (kind := known_kind(source)) is not None:
        raise InvalidInput(kind)
    if not source.is_single:
        titles = ", ".join(importer.title for importer in IMPORTERS.values())
        raise InvalidInput(
            worded("it is a zip that holds nothing that is read; these are: {titles}", titles=titles)
        )
    if not _MAY_BE_JSON.match(source.head(source.names[0]).text):
        raise InvalidInput("it is no format that is read; a text must be UTF-8, without control characters")
    # Its reader names the first thing that is wrong with it.
    return Detected(IMPORTERS["loom-json"], NOT_RECOGNISED)


@contextmanager
def complaints_named(name: str) -> Iterator[None]:
    """Puts the file's name in front of what is said of it. Raises: InvalidInput."""
    try:
        yield
    except InvalidInput as error:
        if error.details.get("file") == name:
            raise
        raise InvalidInput(f"{name}: {error.message}", **{"file": name, **error.details}) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(f"{name}: cannot be read: {why}", file=name) from error


def sentences_of(texts: Iterable[Sentence]) -> list[str]:
    return [str(text) for text in texts]


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
    row: Json = {"id": damaged.id, "title": damaged.title, "reason": str(damaged.reason)}
    row |= {"beside": True} if damaged.is_beside else {}
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
