"""Draft folders that hold something: noted in the user's state folder, to be found after a grove was moved.

A draft lies beside its grove, under the grove's name. Whoever renames or moves the grove leaves it behind.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from loomapp import places
from loomapp.regular_files import MOST_DRAFT_BYTES, read_regular
from loomapp.store.whole_file import write_whole

NOTES = "draft-folders"
ENDING = ".drafts"


def note(folder: Path) -> None:
    """A folder gets its first draft. A state folder that cannot be written is no reason to fail."""
    file = _note_of(folder)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(file, json.dumps({"folder": str(folder.absolute())}).encode("ascii"))


def forget(folder: Path) -> None:
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
