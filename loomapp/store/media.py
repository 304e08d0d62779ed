"""Images and other attachments beside a grove, each in a file named by the SHA-256 of its bytes."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from pathlib import Path

from loomapp.core.errors import GroveError
from loomapp.core.wording import worded
from loomapp.store.whole_file import write_whole


def media_folder(grove: Path) -> Path:
    """Where a grove's media are: `<file name>.media` beside it."""
    return grove.with_name(grove.name + ".media")


def add_media(grove: Path, items: Iterable[bytes]) -> None:
    """Writes what is not there yet. Raises: GroveError if the folder cannot be written."""
    folder = media_folder(grove)
    for data in items:
        file = folder / hashlib.sha256(data).hexdigest()
        try:
            folder.mkdir(exist_ok=True)
            if not file.exists():
                write_whole(file, data)
        except OSError as error:
            message = worded("{folder} cannot be written: {why}.", folder=folder, why=error.strerror)
            raise GroveError("mediaNotWritten", message, path=str(folder)) from error


def read_media(grove: Path, names: Iterable[str]) -> dict[str, bytes]:
    """The bytes of those media that are there and are what their name says."""
    found: dict[str, bytes] = {}
    for name in names:
        if Path(name).name != name:  # names come from files of others
            continue
        with contextlib.suppress(OSError, ValueError):
            data = (media_folder(grove) / name).read_bytes()
            if hashlib.sha256(data).hexdigest() == name:
                found[name] = data
    return found


def copy_media(grove: Path, to: Path) -> None:
    """Puts the media of one grove beside another too. Raises: OSError if they cannot be read or written."""
    folder = media_folder(to)
    folder.mkdir(exist_ok=True)
    for file in media_folder(grove).iterdir():
        copy = folder / file.name
        if file.is_file() and not copy.exists():
            write_whole(copy, file.read_bytes())
