"""The mirror of a grove: a folder in which each tree stands as Markdown and as Loom JSON, never read back.

A file that somebody else changed is kept beside the new one, as `… (yours)`. What was written is noted in
`.mirror.json` by its SHA-256, and in `.mirror.begun` before it is written, as a run may be ended at any time;
without these notes every other file counts as somebody else's.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, field
from pathlib import Path

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.model.agent import Agent, agent_to_json
from loomapp.core.paths.resolve import resolve
from loomapp.core.sentences import worded
from loomapp.files import MOST_TREE_BYTES, OWNER_ONLY, alone_in, read_regular, write_whole
from loomapp.formats import loom_json
from loomapp.formats.exports.export import Export, Wanted
from loomapp.formats.exports.readable import as_markdown
from loomapp.store.files.media import read_media
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import read_grove
from loomapp.store.rows.grove_rows import TreeRow

NOTE, BEGUN, TRASH = ".mirror.json", ".mirror.begun", ".trash"
MARKDOWN, LOOM_JSON = ".md", ".loom.json"
ENDINGS = frozenset({MARKDOWN, LOOM_JSON})
MOST_TITLE = 80  # characters of a file's name
MOST_BYTES = 120  # likewise: most systems have 255 for a name with its id, its mark and its endings
ID_END = 6
_DIGEST = re.compile(r"[0-9a-f]{64}")
_PART = re.compile(r"(?:.*(?:\.md|\.loom\.json)|\.mirror\.json)\.[0-9]+\.part", re.DOTALL)  # of `write_whole`
_NO_NAME = re.compile(r'[\0-\x1f\x7f<>:"/\\|?*]+')  # what no name of a file may hold on some system


@dataclass(slots=True)
class Mirrored:
    """A tree as it was written last: the name of its files without an ending, and their digests by ending.
    `updated_at` is None until both files are as the tree is; `agents` is the digest of its agents.
    """

    name: str
    updated_at: int | None
    digests: dict[str, str] = field(default_factory=dict)
    agents: str = ""


@dataclass(slots=True)
class _Place:
    """The folder of one grove: its trees by their ids as they were written, `begun` the digests of what was
    about to be written when a run was ended, `agents` the digest of all agents when all was as it should be.
    """

    folder: Path
    grove: Path
    known: dict[str, Mirrored]
    begun: set[str]
    agents: str
    taken: dict[str, str]  # ids of trees by the names of their files


def update(folder: Path, grove_path: Path, stop: Callable[[], bool] = lambda: False) -> int:
    """Bring the mirror of a grove up to date; gives how many trees were written. `stop` ends it between two.

    Raises: LoomError if the folder cannot be written, or the grove not be read. One tree that cannot be
    written or read keeps no other from being written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with alone_in(folder, stop) as is_alone:
            written, fault = _update(folder, grove_path, stop) if is_alone else (0, None)
        if fault is not None:
            raise fault
    except OSError as error:
        why = error.strerror or str(error)
        told = "The mirror folder {folder} could not be written: {why}."
        raise LoomError(worded(told, folder=folder, why=why)) from error
    return written


def _update(
    folder: Path, grove_path: Path, stop: Callable[[], bool]
) -> tuple[int, OSError | LoomError | None]:
    place = _opened(folder, grove_path)
    try:
        with read_grove(grove_path) as grove:
            return _follow_all(place, grove, stop)
    finally:
        _remember(place)
        (place.folder / BEGUN).unlink(missing_ok=True)


def folder_of(named: str) -> Path:
    """The folder that is named, `~` being somebody's home. Raises: LoomError if there is no such person."""
    try:
        return Path(named).expanduser()
    except RuntimeError as error:
        told = "The mirror folder {folder} has no place here. Choose another folder in Settings, Backups."
        raise LoomError(worded(told, folder=named)) from error


def _follow_all(
    place: _Place, grove: Grove, stop: Callable[[], bool]
) -> tuple[int, OSError | LoomError | None]:
    """Write what changed; give how many trees were written, and what went wrong first."""
    rows, agents = grove.trees(), _digest_of(grove.agents())
    written = 0
    fault: OSError | LoomError | None = None
    for row in rows:
        if stop():
            return written, fault
        try:
            written += _follow(place, grove, row, are_agents_known=agents == place.agents)
        except (OSError, LoomError) as error:
            fault = fault or error
    _drop(place, {row.id for row in rows if row.archived_at is None})
    if fault is None:
        place.agents = agents
    return written, fault


def _opened(folder: Path, grove_path: Path) -> _Place:
    """The place of a grove in the mirror, without what an ended run left half written."""
    place = _folder(folder, grove_path)
    for file in place.iterdir():
        if _PART.fullmatch(file.name) and (file.is_symlink() or not file.is_dir()):
            file.unlink(missing_ok=True)
    note = _note(place)
    known = _known(note, grove_path)
    taken = {one.name.casefold(): tree_id for tree_id, one in known.items()}
    opened = _Place(place, grove_path, known, _begun(place), str(note.get("agents", "")), taken)
    if not note:
        _remember(opened)  # the folder is this grove's, also if this run is ended
    return opened


def _folder(folder: Path, grove_path: Path) -> Path:
    """The folder of this grove in the mirror: by its name, with a number if another one has that."""
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
    with suppress(OSError, ValueError, RecursionError):
        value = json.loads(read_regular(place / NOTE, MOST_TREE_BYTES))
        if isinstance(value, dict):
            return value
    return {}


def _begun(place: Path) -> set[str]:
    with suppress(OSError, ValueError):
        return set(_DIGEST.findall(read_regular(place / BEGUN, MOST_TREE_BYTES).decode()))
    return set()


def _known(note: Mapping[str, object], grove_path: Path) -> dict[str, Mirrored]:
    """Return the trees that were written before, by their ids; empty if the note is not there or no note."""
    trees = note.get("trees")
    known: dict[str, Mirrored] = {}
    if note.get("grove") == str(grove_path.absolute()) and isinstance(trees, dict):
        for tree_id, value in trees.items():
            with suppress(TypeError, ValueError):
                one = Mirrored(**value)
                if _is_name(one.name) and _are_digests(one.digests):
                    known[tree_id] = one
    return known


def _are_digests(digests: object) -> bool:
    return (
        isinstance(digests, dict)
        and digests.keys() <= ENDINGS
        and all(isinstance(digest, str) for digest in digests.values())
    )


def _is_name(name: object) -> bool:
    """Tell whether a name stays in its folder. Raises: ValueError for a text that is none at all."""
    return (
        isinstance(name, str)
        and bool(name.encode())
        and _NO_NAME.search(name) is None
        and name == name.strip(" .")
    )


def _remember(place: _Place) -> None:
    trees = {tree_id: asdict(one) for tree_id, one in place.known.items()}
    note = {"grove": str(place.grove.absolute()), "agents": place.agents, "trees": trees}
    write_whole(place.folder / NOTE, json.dumps(note, ensure_ascii=False, indent=1).encode())


def _begin(place: _Place, digests: Sequence[str]) -> None:
    """Note what is about to be written: a run that is ended before its note is made still knows its own."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(place.folder / BEGUN, flags, OWNER_ONLY), "a") as file:
        file.writelines(f"{digest}\n" for digest in digests)


def _follow(place: _Place, grove: Grove, row: TreeRow, *, are_agents_known: bool) -> int:
    """Write a tree if it changed, or an agent of it; give 1 if it did."""
    if row.archived_at is not None:
        return 0  # it goes into the trash with those that are gone
    before = place.known.get(row.id)
    name = _name(place, row)
    is_same = before is not None and (before.updated_at, before.name) == (row.updated_at, name)
    if is_same and are_agents_known:
        return 0
    agents = grove.tree_agents(row.id)
    if is_same and before is not None and before.agents == _digest_of(agents):
        return 0
    files = dict(_files(grove, row.id, agents))
    digests = {ending: hashlib.sha256(data).hexdigest() for ending, data in files.items()}
    if before is not None and before.name != name:
        for ending in files:
            _rename(place.folder, before.name, name, ending)
    now = place.known[row.id] = Mirrored(name, None, {} if before is None else dict(before.digests))
    place.taken[name.casefold()] = row.id
    _begin(place, [*digests.values()])
    for ending, data in files.items():
        path = place.folder / f"{name}{ending}"
        _keep_theirs(place.folder, path, {digests[ending], now.digests.get(ending, ""), *place.begun})
        write_whole(path, data)
        now.digests[ending] = digests[ending]  # also if the next file cannot be written
    now.updated_at, now.agents = row.updated_at, _digest_of(agents)
    return 1


def _name(place: _Place, row: TreeRow) -> str:
    """The name of a tree's files: its title, and the end of its id; all of that where another tree has it,
    and its digest where two ids are one as names of files.
    """
    title = file_name(row.title)
    for end in (row.id[-ID_END:], row.id):
        name = f"{title} {file_name(end)}".strip()
        if name and place.taken.get(name.casefold(), row.id) == row.id:
            return name
    return f"{title} {hashlib.sha256(row.id.encode()).hexdigest()}".strip()


def _files(grove: Grove, tree_id: str, agents: Sequence[Agent]) -> Iterator[tuple[str, bytes]]:
    tree = grove.load_tree(tree_id)
    nodes = resolve(tree, tree.path.leaf_id).nodes
    wanted = Wanted(annotations=True, branches=tree.loom.mode == "dialogue")
    yield MARKDOWN, as_markdown(Export(tree, agents, nodes, wanted, {}, AppContextSettings())).encode()
    media = read_media(grove.path, loom_json.media_refs(tree))
    yield LOOM_JSON, loom_json.write(tree, agents, grove.all_evidence(tree_id), media).encode()


def _digest_of(agents: Sequence[Agent]) -> str:
    return hashlib.sha256(json.dumps([agent_to_json(agent) for agent in agents]).encode()).hexdigest()


def _rename(place: Path, old: str, new: str, ending: str) -> None:
    """Let a file go along with its tree's new title; what stands there by then is somebody else's."""
    source, target = place / f"{old}{ending}", place / f"{new}{ending}"
    if source.is_file() and not target.exists():
        source.rename(target)


def _keep_theirs(place: Path, path: Path, ours: set[str]) -> None:
    """Put a file that somebody else changed, or a link in its place, beside. One that another run wrote
    meanwhile, such as that of a window that was closed a moment ago, is ours.
    """
    if path.exists() and not path.is_symlink():
        digest = _digest_in(path)
        if digest in ours or digest in _noted(place):
            return
    if path.is_symlink() or path.exists():
        path.rename(_free(path, " (yours)"))


def _noted(place: Path) -> set[str]:
    """Return the digests in the notes of a folder as they are by now."""
    found = _begun(place)
    with suppress(OSError, ValueError):
        found |= set(_DIGEST.findall(read_regular(place / NOTE, MOST_TREE_BYTES).decode()))
    return found


def _digest_in(path: Path) -> str:
    """The digest of a file; of what is none, or cannot be read, nothing."""
    with suppress(OSError, ValueError):
        return hashlib.sha256(read_regular(path, MOST_TREE_BYTES)).hexdigest()
    return ""


def _free(path: Path, mark: str) -> Path:
    ending = next((it for it in (LOOM_JSON, MARKDOWN) if path.name.endswith(it)), path.suffix)
    stem, number = path.name.removesuffix(ending), 1
    while (free := path.with_name(f"{stem}{mark}{f' {number}' if number > 1 else ''}{ending}")).exists():
        number += 1
    return free


def _drop(place: _Place, living: set[str]) -> None:
    """Move the files of trees that are archived, or gone, into the trash."""
    for tree_id in [one for one in place.known if one not in living]:
        gone = place.known[tree_id]
        trash = place.folder / TRASH
        trash.mkdir(exist_ok=True)
        for ending in gone.digests:
            file = place.folder / f"{gone.name}{ending}"
            if file.is_file():
                target = trash / file.name
                file.rename(_free(target, "") if target.exists() else target)
        del place.known[tree_id]
