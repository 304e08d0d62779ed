"""The mirror of a grove: a folder in which each tree stands as Markdown and as Loom JSON, never read back.

A file that somebody else changed is kept beside the new one, as `… (yours)`. What was written is noted in
`.mirror.json` by its SHA-256; without that note every other file counts as somebody else's.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.errors import LoomError
from loomapp.core.paths.resolve import resolve
from loomapp.core.sentences import worded
from loomapp.formats import loom_json
from loomapp.formats.exports.export import Export, Wanted
from loomapp.formats.exports.readable import as_markdown
from loomapp.regular_files import MOST_TREE_BYTES, read_regular
from loomapp.store.files.media import read_media
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import read_grove
from loomapp.store.rows.tree_list import TreeRow
from loomapp.whole_file import write_whole

NOTE, TRASH = ".mirror.json", ".trash"
MARKDOWN, LOOM_JSON = ".md", ".loom.json"
ENDINGS = frozenset({MARKDOWN, LOOM_JSON})
MOST_TITLE = 80  # characters of a file's name
MOST_BYTES = 120  # likewise: most systems have 255 for a name with its id, its mark and its endings
ID_END = 6
_NO_NAME = re.compile(r'[\0-\x1f\x7f<>:"/\\|?*]+')  # what no name of a file may hold on some system


@dataclass(slots=True)
class Mirrored:
    """A tree as it was written last: the name of its files without an ending, and their digests by ending.
    `updated_at` is None until both files are as the tree is.
    """

    name: str
    updated_at: int | None
    digests: dict[str, str] = field(default_factory=dict)


def update(folder: Path, grove_path: Path, stop: Callable[[], bool] = lambda: False) -> int:
    """Bring the mirror of a grove up to date; gives how many trees were written. `stop` ends it between two.

    Raises: LoomError if the folder cannot be written, or the grove not be read. One tree that cannot be
    written or read keeps no other from being written.
    """
    try:
        place = _place(folder, grove_path)
        known = _known(place, grove_path)
        written = 0
        fault: OSError | LoomError | None = None
        try:
            with read_grove(grove_path) as grove:
                rows = grove.trees()
                for row in rows:
                    if stop():
                        return written
                    try:
                        written += _follow(place, grove, row, known)
                    except (OSError, LoomError) as error:
                        fault = fault or error
                _drop(place, known, {row.id for row in rows if row.archived_at is None})
        finally:
            _remember(place, grove_path, known)
        if fault is not None:
            raise fault
    except OSError as error:
        why = error.strerror or str(error)
        told = "The mirror folder {folder} could not be written: {why}."
        raise LoomError(worded(told, folder=folder, why=why)) from error
    return written


def _place(folder: Path, grove_path: Path) -> Path:
    """The folder of this grove in the mirror: by its name, with a number if another one has that."""
    folder.mkdir(parents=True, exist_ok=True)
    name, number = file_name(grove_path.stem) or "Grove", 1
    while True:
        place = folder / (name if number == 1 else f"{name} {number}")
        owner = _note(place).get("grove")
        if owner in (None, str(grove_path.absolute())):
            place.mkdir(exist_ok=True)
            return place
        number += 1


def file_name(title: str) -> str:
    """A title as the name of a file: one line without what some system forbids; may be empty."""
    words = " ".join(_NO_NAME.sub(" ", title).split())[:MOST_TITLE]
    return words.encode()[:MOST_BYTES].decode("utf-8", "ignore").strip(" .")


def _note(place: Path) -> Mapping[str, object]:
    with suppress(OSError, ValueError):
        value = json.loads(read_regular(place / NOTE, MOST_TREE_BYTES))
        if isinstance(value, dict):
            return value
    return {}


def _known(place: Path, grove_path: Path) -> dict[str, Mirrored]:
    """Return the trees that were written before, by their ids; empty if the note is not there or no note."""
    note = _note(place)
    trees = note.get("trees")
    known: dict[str, Mirrored] = {}
    if note.get("grove") == str(grove_path.absolute()) and isinstance(trees, dict):
        for tree_id, value in trees.items():
            with suppress(TypeError, ValueError):
                one = Mirrored(**value)
                if _is_name(one.name) and isinstance(one.digests, dict) and one.digests.keys() <= ENDINGS:
                    known[tree_id] = one
    return known


def _is_name(name: str) -> bool:
    """Tell whether a name stays in its folder. Raises: TypeError, ValueError for what is none at all."""
    return bool(name.encode()) and _NO_NAME.search(name) is None and name == name.strip(" .")


def _remember(place: Path, grove_path: Path, known: Mapping[str, Mirrored]) -> None:
    trees = {tree_id: asdict(one) for tree_id, one in known.items()}
    note = {"grove": str(grove_path.absolute()), "trees": trees}
    write_whole(place / NOTE, json.dumps(note, ensure_ascii=False, indent=1).encode())


def _follow(place: Path, grove: Grove, row: TreeRow, known: dict[str, Mirrored]) -> int:
    """Write a tree if it changed; give 1 if it did."""
    if row.archived_at is not None:
        return 0  # it goes into the trash with those that are gone
    before = known.get(row.id)
    name = _name(row, known)
    if before is not None and (before.updated_at, before.name) == (row.updated_at, name):
        return 0
    files = dict(_files(grove, row.id))
    if before is not None and before.name != name:
        for ending in files:
            _rename(place, before.name, name, ending)
    now = known[row.id] = Mirrored(name, None, {} if before is None else dict(before.digests))
    for ending, data in files.items():
        path, digest = place / f"{name}{ending}", _digest(data)
        _keep_theirs(path, {digest, now.digests.get(ending)})
        write_whole(path, data)
        now.digests[ending] = digest  # also if the next file cannot be written
    now.updated_at = row.updated_at
    return 1


def _name(row: TreeRow, known: Mapping[str, Mirrored]) -> str:
    """The name of a tree's files: its title, and the end of its id; all of that where another tree has it."""
    title = file_name(row.title)
    name = f"{title} {file_name(row.id[-ID_END:])}".strip()
    others = {one.name.casefold() for tree_id, one in known.items() if tree_id != row.id}
    return f"{title} {file_name(row.id)}".strip() if name.casefold() in others else name


def _files(grove: Grove, tree_id: str) -> Iterator[tuple[str, bytes]]:
    tree, agents = grove.load_tree(tree_id), grove.tree_agents(tree_id)
    nodes = resolve(tree, tree.path.leaf_id).nodes
    wanted = Wanted(annotations=True, branches=tree.loom.mode == "dialogue")
    yield MARKDOWN, as_markdown(Export(tree, agents, nodes, wanted, {}, AppContextSettings())).encode()
    media = read_media(grove.path, loom_json.media_refs(tree))
    yield LOOM_JSON, loom_json.write(tree, agents, grove.all_evidence(tree_id), media).encode()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _rename(place: Path, old: str, new: str, ending: str) -> None:
    """Let a file go along with its tree's new title; what stands there by then is somebody else's."""
    source, target = place / f"{old}{ending}", place / f"{new}{ending}"
    if source.is_file() and not target.exists():
        source.rename(target)


def _keep_theirs(path: Path, ours: set[str | None]) -> None:
    """Put a file that somebody else changed beside."""
    if path.is_symlink() or not path.exists():
        return
    try:
        is_ours = _digest(read_regular(path, MOST_TREE_BYTES)) in ours
    except (OSError, ValueError):
        is_ours = False
    if not is_ours:
        path.rename(_free(path, " (yours)"))


def _free(path: Path, mark: str) -> Path:
    ending = next((it for it in (LOOM_JSON, MARKDOWN) if path.name.endswith(it)), path.suffix)
    stem, number = path.name.removesuffix(ending), 1
    while (free := path.with_name(f"{stem}{mark}{f' {number}' if number > 1 else ''}{ending}")).exists():
        number += 1
    return free


def _drop(place: Path, known: dict[str, Mirrored], living: set[str]) -> None:
    """Move the files of trees that are archived, or gone, into the trash."""
    for tree_id in [one for one in known if one not in living]:
        gone = known[tree_id]
        trash = place / TRASH
        trash.mkdir(exist_ok=True)
        for ending in gone.digests:
            file = place / f"{gone.name}{ending}"
            if file.is_file():
                target = trash / file.name
                file.rename(_free(target, "") if target.exists() else target)
        del known[tree_id]
