"""`loomapp import`: trees from files of many formats into a grove; nothing before all files could be read."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from loomapp.cli.arguments import DONE, Namespace, NotFound, Parser
from loomapp.cli.groves import grove_path, open_or_create_named
from loomapp.cli.import_files import (
    ImportFile,
    Survey,
    file_row,
    import_files,
    print_added,
    print_preview,
    print_skipped,
    say_event,
    skipped_row,
    tree_row,
)
from loomapp.cli.output import ProgressLine, say_json, tell
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.progress import Progress
from loomapp.formats.importer import Damaged, Found, Imported, Reading
from loomapp.formats.registry import IMPORTERS
from loomapp.store.files.media import add_media
from loomapp.store.grove.due_backup import back_up_grove, is_due
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import read_grove
from loomapp.store.identity import now
from loomapp.store.rows.new_trees import NewTree
from loomapp.store.rows.tree_rows import no_collections

SLICE_NODES = 3_000  # that are committed together, so that a window beside it waits for nothing
SLICE_TREES = 80
SLICE_NODES_BESIDE_WINDOW = 150
TELL_EVERY_S = 0.1
FROM_STDIN = "-"


def add_arguments(parser: Parser) -> None:
    titles = ", ".join(importer.title for importer in IMPORTERS.values())
    parser.add_argument("files", nargs="+", metavar="FILE", help=f"a file, zip or folder: {titles}")
    parser.add_argument("--format", choices=tuple(IMPORTERS), help="read it as this, whatever it looks like")
    parser.add_argument("--preview", action="store_true", help="say what would come in, and write nothing")
    parser.add_argument(
        "--only",
        action="append",
        metavar="ID",
        help="only the tree of this id; - reads ids from stdin, a line each",
    )
    parser.add_argument("--events", action="store_true", help=argparse.SUPPRESS)  # for the window


def run(arguments: Namespace) -> int:
    """Takes the files in and prints a line a tree; a grove with something in it is backed up first.

    Raises: InvalidInput before anything is written, GroveError; NotFound if a tree is asked for in vain.
    """
    only = _only(arguments.only)
    survey = _Surveyor(arguments)
    with no_collections():
        surveys = [survey.of(file) for file in import_files(arguments.files, arguments.format, tell)]
    if arguments.preview:
        if arguments.json and not arguments.events:
            say_json({"files": [one.to_json() for one in surveys]})
        elif not arguments.events:
            print_preview(surveys)
        return DONE
    _check(surveys, only)
    with open_or_create_named(arguments) as grove:
        if is_due(grove, now(), every_ms=0):
            back_up_grove(grove, "before-import")
        writer = _Writer(grove, arguments, only)
        try:
            for one in surveys:
                writer.take_in(one.file, survey.kept)
        except KeyboardInterrupt:
            if writer.count:
                tell(f"{writer.count} trees are in; the same import again adds the others")
            raise
    return DONE


def _only(ids: list[str] | None) -> frozenset[str] | None:
    if ids is None:
        return None
    read = sys.stdin.read().splitlines() if FROM_STDIN in ids else []
    return frozenset((*(name for name in ids if name != FROM_STDIN), *filter(None, read)))


def _check(surveys: list[Survey], only: frozenset[str] | None) -> None:
    """Raises: NotFound, InvalidInput: what is asked for is not there, or there is nothing at all."""
    there = {str(row["id"]) for survey in surveys for row in survey.trees}
    if only is not None and (missing := sorted(only - there)):
        raise NotFound(f"there is no tree {missing[0]} in what is to be imported", treeId=missing[0])
    for survey in surveys:
        if not survey.trees:
            why = str(survey.skipped[0]["reason"]) if survey.skipped else "it holds none"
            name = survey.file.name
            raise InvalidInput(f"{name}: there is no tree in it that can be read: {why}", file=name)


class _Surveyor:
    """Reads files through before anything is written. `kept`: the only tree of the first, read once."""

    def __init__(self, arguments: Namespace) -> None:
        self._arguments = arguments
        self.kept: tuple[ImportFile, Found] | None = None
        self._is_first = True

    def of(self, file: ImportFile) -> Survey:
        events = self._arguments.events and self._arguments.preview
        if events:
            say_event("file")(file_row(file))
        survey = Survey(file)
        with _known_nodes(self._arguments) as here, _progress(self._arguments, file) as progress:
            for finding in file.read(Reading(now()), progress):
                if isinstance(finding, Damaged):
                    survey.skipped.append(skipped_row(finding))
                elif self._arguments.preview:
                    survey.trees.append(tree_row(finding, here(finding.id)))
                else:
                    survey.trees.append({"id": finding.id})
                if events:
                    row = survey.skipped[-1] if isinstance(finding, Damaged) else survey.trees[-1]
                    say_event("skipped" if isinstance(finding, Damaged) else "tree")(row)
                self._keep(file, finding, survey)
        self._is_first = False
        return survey

    def _keep(self, file: ImportFile, finding: Found | Damaged, survey: Survey) -> None:
        if self._arguments.preview or not self._is_first:
            return
        is_only = len(survey.trees) + len(survey.skipped) == 1
        self.kept = None
        if is_only and isinstance(finding, Found) and finding.is_read:
            self.kept = (file, finding)


@contextmanager
def _known_nodes(arguments: Namespace) -> Iterator[Callable[[str], frozenset[str] | None]]:
    """Tells of a tree which nodes the grove has; it is looked into for a preview only."""
    path = grove_path(arguments)
    if not arguments.preview or not path.is_file():
        yield lambda _tree_id: None
        return
    with read_grove(path) as grove:
        yield grove.node_ids


@contextmanager
def _progress(arguments: Namespace, file: ImportFile) -> Iterator[Progress]:
    """Says how far the reading is: as events, or on a terminal in one line."""
    line, last = ProgressLine(), [time.monotonic()]

    def tell_progress(done: int, of: int) -> None:
        if time.monotonic() - last[0] < TELL_EVERY_S:
            return
        last[0] = time.monotonic()
        if arguments.events and arguments.preview:
            say_json({"event": "progress", "done": done, "of": of})
        elif of:
            line.show(f"{file.name}: {done / of:.0%}")

    try:
        yield tell_progress
    finally:
        line.show("")


class _Writer:
    """Writes what is read in slices, each whole or not at all. `count` trees are in."""

    def __init__(self, grove: Grove, arguments: Namespace, only: frozenset[str] | None) -> None:
        self._grove, self._only = grove, only
        self.count = 0
        self._say: Callable[[Json], None] | None = None
        if arguments.json:
            self._say = say_event("added") if arguments.events else say_json
        self._untitled = 0
        self._slice_nodes = SLICE_NODES_BESIDE_WINDOW if arguments.events else SLICE_NODES
        self._slice: list[tuple[list[str], NewTree]] = []
        self._nodes = 0

    def take_in(self, file: ImportFile, kept: tuple[ImportFile, Found] | None) -> None:
        """The trees of a file that are wanted. Raises: GroveError, InvalidInput."""
        findings = file.read(Reading(now())) if kept is None or kept[0] is not file else iter([kept[1]])
        with no_collections():
            for finding in findings:
                if isinstance(finding, Damaged):
                    if self._only is None:
                        print_skipped(file, finding, self._say)
                elif self._only is None or finding.id in self._only:
                    self._add(file, finding)
            self._write()

    def _add(self, file: ImportFile, found: Found) -> None:
        facts = found.facts()
        told = [str(text) for text in (*facts.losses, *facts.notes)]
        del facts  # the ids of all nodes
        imported = found.load(self._grove.owner)
        for warning in imported.warnings:
            tell(f"{file.name}: {warning}")
        # The media first: a tree whose pictures could not be written is not begun.
        add_media(self._grove.path, imported.media.values())
        self._slice.append((told, self._new_tree(imported)))
        self._nodes += imported.rows.node_count
        if self._nodes >= self._slice_nodes or len(self._slice) >= SLICE_TREES:
            self._write()

    def _new_tree(self, imported: Imported) -> NewTree:
        head = imported.rows.head
        if not head.loom.title:
            if not self._untitled:
                self._untitled = len(self._grove.trees())
            self._untitled += 1
            head.loom = replace(head.loom, title=f"Loom Tree {self._untitled}")
        return NewTree(imported.rows, imported.agents, imported.evidence, imported.is_of_other_program)

    def _write(self) -> None:
        if not self._slice:
            return
        added = self._grove.add_trees([new for _, new in self._slice])
        self.count += len(added)
        for one, (told, new) in zip(added, self._slice, strict=True):
            print_added(one, new.rows.head.loom.title, told, self._say)
        self._slice.clear()
        self._nodes = 0


COMMANDS = {"import": (add_arguments, run)}
