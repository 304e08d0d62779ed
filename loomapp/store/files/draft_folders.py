"""Draft folders that hold something, and groves displaced while they were open: noted to be found again.

A draft lies beside its grove, under the grove's name. Whoever renames or moves the grove leaves it behind.

A small file each in the user's state folder. It is written when the window finds out, so that a kill right
after does not hide where the words are, and taken away once the user has answered.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from loomapp import places
from loomapp.core.dataclass import dataclass
from loomapp.core.times import Milliseconds
from loomapp.files import MOST_DRAFT_BYTES, read_regular, write_whole

NOTES = "draft-folders"
ENDING = ".drafts"


def note_folder(folder: Path) -> None:
    """A folder gets its first draft. A state folder that cannot be written is no reason to fail."""
    file = _note_of(folder)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(file, json.dumps({"folder": str(folder.absolute())}).encode("ascii"))


def forget_folder(folder: Path) -> None:
    """Note that nothing is left in a folder, and that it is gone."""
    with suppress(OSError):
        _note_of(folder).unlink(missing_ok=True)


def other_folders(own: Path) -> Iterator[Path]:
    """The draft folders of other groves: those beside this one, then those that were noted elsewhere."""
    own, seen = own.absolute(), set[Path]()
    for folder in (*_beside(own), *_noted()):
        if folder != own and folder not in seen:
            seen.add(folder)
            yield folder


def grove_of(folder: Path) -> Path:
    """The grove that a draft folder is named after."""
    return folder.with_name(folder.name.removesuffix(ENDING))


def _beside(own: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(folder for folder in own.parent.glob(f"*{ENDING}") if folder.is_dir())
    return []


def _noted() -> Iterator[Path]:
    with suppress(OSError):
        for file in sorted((places.state_folder() / NOTES).glob("*.json")):
            with suppress(OSError, ValueError, KeyError, TypeError):
                folder = Path(str(json.loads(read_regular(file, MOST_DRAFT_BYTES))["folder"]))
                if folder.name.endswith(ENDING) and folder.is_dir():
                    yield folder


def _note_of(folder: Path) -> Path:
    digest = hashlib.sha256(str(folder.absolute()).encode("utf-8", "surrogateescape")).hexdigest()
    return places.state_folder() / NOTES / f"{digest[:32]}.json"


FOLDER = "displaced-groves"


@dataclass(frozen=True, slots=True)
class DisplacedGrove:
    """A grove by the name it was open under; paths are absolute."""

    grove: Path
    at: Milliseconds
    backup: Path | None = None  # holds all of it, if it `is_whole`, where another file has its name
    moved: Path | None = None  # where its own file lies by now, if that is known
    has_drafts: bool = True  # drafts are to be looked for under its name when the moved file is opened
    is_whole: bool = True  # else it was written over in its place, and the backup is the last there was
    wal: Path | None = None  # holds what was saved last in a file that was written over


def note_displaced(displaced: DisplacedGrove) -> None:
    """Keep it for the next start. A folder that cannot be written is no reason to fail."""
    value = {
        "grove": str(displaced.grove),
        "at": displaced.at,
        "backup": _text(displaced.backup),
        "moved": _text(displaced.moved),
        "drafts": displaced.has_drafts,
        "whole": displaced.is_whole,
        "wal": _text(displaced.wal),
    }
    file = _file_of(displaced)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(file, json.dumps(value).encode("ascii"))


def without_drafts(displaced: DisplacedGrove) -> None:
    """Note that its drafts were taken along."""
    if _file_of(displaced).exists():
        note_displaced(replace(displaced, has_drafts=False))


def forget_displaced(displaced: DisplacedGrove) -> None:
    """Tell of it no more: it was answered, or is in its place again."""
    with suppress(OSError):
        _file_of(displaced).unlink(missing_ok=True)


def displaced_groves() -> list[DisplacedGrove]:
    """Return all that were not answered yet, the oldest first."""
    try:
        files = list((places.state_folder() / FOLDER).glob("*.json"))
    except OSError:
        return []
    found = [one for one in map(_read, files) if one is not None]
    return sorted(found, key=lambda one: (one.at, str(one.grove)))


def _file_of(displaced: DisplacedGrove) -> Path:
    about = "\0".join((str(displaced.grove), _text(displaced.backup), _text(displaced.moved)))
    digest = hashlib.sha256(about.encode("utf-8", "surrogateescape")).hexdigest()
    return places.state_folder() / FOLDER / f"{digest[:32]}.json"


def _text(path: Path | None) -> str:
    return "" if path is None else str(path)


def _read(file: Path) -> DisplacedGrove | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        value = json.loads(read_regular(file, MOST_DRAFT_BYTES))
        backup, moved = str(value["backup"]), str(value["moved"])
        return DisplacedGrove(
            Path(str(value["grove"])),
            int(value["at"]),
            Path(backup) if backup else None,
            Path(moved) if moved else None,
            value["drafts"] is True,
            value.get("whole", True) is True,
            Path(wal) if (wal := str(value.get("wal", ""))) else None,
        )
    return None
