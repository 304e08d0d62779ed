"""A check of a grove file: structure, values, every hash, and all that the change log knows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from sqlalchemy.exc import SQLAlchemyError

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.model.content import images_of
from loomapp.core.model.new_tree import ASSET
from loomapp.core.model.tree import Tree
from loomapp.store import soundness
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.files.media import MediaFolder, media_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import read_grove
from loomapp.store.opening.look import look
from loomapp.store.opening.readers import reader
from loomapp.store.soundness import BROKEN_VALUE

Kind: TypeAlias = Literal["file", "foreign", "structure", "value", "log", "node", "mark", "media"]
_DIGITS = 64  # of the digest that names an image whose bytes were there
_UNREADABLE = (*BROKEN_VALUE, sqlite3.Error, SQLAlchemyError)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it should be; `message` names the place."""

    kind: Kind
    message: str
    tree_id: str | None = None
    node_id: str | None = None


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a check; without problems the grove is sound."""

    path: Path
    trees: int
    nodes: int
    problems: tuple[Problem, ...]
    is_sealed: bool = True  # whether the change log is a chain

    @property
    def is_damaged(self) -> bool:
        """Tell whether anything is wrong with the file itself; lost images no repair of it can bring back."""
        return any(problem.kind != "media" for problem in self.problems)


def check(path: Path) -> CheckReport:
    """Look at everything in a grove, changing nothing.

    Raises: GroveError missing, walAlone, empty, notAGrove, newerSchema, locked, cannotOpen: what is
    no damage.
    """
    problems: list[Problem] = []
    trees = nodes = 0
    is_sealed = True
    try:
        looked = look(path)
        is_sealed = looked.is_sealed
        told = "it holds {what}, which Loomapp did not make"
        problems += [Problem("foreign", told.format(what=what)) for what in looked.foreign]
        problems += _in_file(path)
        with read_grove(path) as grove:
            problems += _in_grove(grove)
            rows = grove.trees()
            trees, nodes = len(rows), sum(row.node_count for row in rows)
    except GroveError as error:
        if error.code == "notAGrove" and path.is_file() and soundness.was_a_grove(path):
            problems.append(Problem("file", f"{path} is damaged: its beginning is not that of a grove."))
        elif error.code == "damaged":
            problems.append(Problem("file", error.message))
        else:
            raise
    except _UNREADABLE as error:
        problems.append(Problem("file", f"{path} cannot be read: {error}"))
    told_once = {
        (problem.message, problem.tree_id, problem.node_id): problem for problem in reversed(problems)
    }
    return CheckReport(path, trees, nodes, tuple(reversed(told_once.values())), is_sealed)


def _in_file(path: Path) -> Iterator[Problem]:
    with reader(path, look(path).wanted_access) as connection:
        searches: Iterable[tuple[Kind, Callable[[sqlite3.Connection], Iterable[str]]]] = (
            ("structure", soundness.structure_faults),
            ("structure", soundness.index_faults),
            ("value", soundness.value_faults),
        )
        for kind, search in searches:
            try:
                for text in search(connection):
                    yield Problem(kind, text)
            except sqlite3.DatabaseError as error:
                yield Problem(kind, f"the file cannot be read to its end: {error}")


def _in_grove(grove: Grove) -> Iterator[Problem]:
    lost: list[Problem] = []
    verified = verify_grove(grove, look=lambda tree: lost.extend(_lost_images(grove, tree)))
    for text in verified.faults:
        yield Problem("log", text)
    for tree in verified.trees:
        for finding in tree.findings:
            if finding.verdict == "failed":
                text = f"node {finding.local_id or finding.node_id}: {finding.reason}"
                yield Problem("node", text, tree.tree_id, finding.node_id)
        for text in tree.faults:
            yield Problem("mark", text, tree.tree_id)
    yield from lost


def _lost_images(grove: Grove, tree: Tree) -> Iterator[Problem]:
    """Images of which the bytes are not beside the grove, or not as they were. One that an import named and
    did not hold never was there.
    """
    media = MediaFolder(grove.path)
    known: dict[str, bool] = {}
    for node in tree.nodes.values():
        for image in images_of(node.content):
            if ASSET in image.extra and len(image.ref) != _DIGITS:
                continue
            if image.ref not in known:
                known[image.ref] = media.read(image.ref) is not None
            if not known[image.ref]:
                is_there = media.size(image.ref) is not None
                what = "is not what it was" if is_there else "is missing"
                text = f"node {node.local_id}: its image {image.ref} {what} in {media_folder(grove.path)}"
                yield Problem("media", text, tree.loom.id, node.id)
