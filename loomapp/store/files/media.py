"""Images and other attachments beside a grove, each in a file named by the SHA-256 of its bytes."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.files import MOST_MEDIA_BYTES, OWNER_ONLY, is_open_here, read_regular, write_whole
from loomapp.temporary import sweep_parts

SETTLED_NS = 2_000_000_000
_WRITING = threading.Lock()  # two threads may be given the same image


def media_folder(grove: Path) -> Path:
    """Return where a grove's media are: `<file name>.media` beside it."""
    return grove.with_name(grove.name + ".media")


def add_media(grove: Path, items: Iterable[bytes]) -> None:
    """Writes what is not there yet, or no longer as it was. Any thread may.

    Raises: GroveError if the folder cannot be written.
    """
    folder, mode = media_folder(grove), _mode_beside(grove)
    sweep_parts(folder.glob("*.part"))
    for data in items:
        file = folder / hashlib.sha256(data).hexdigest()
        try:
            with _WRITING:
                folder.mkdir(mode=0o700 if mode == OWNER_ONLY else 0o777, exist_ok=True)
                if not _is_there(file):
                    write_whole(file, data, mode)
        except OSError as error:
            message = worded("{folder} cannot be written: {why}.", folder=folder, why=error.strerror)
            raise GroveError("mediaNotWritten", message, path=str(folder)) from error


def _mode_beside(grove: Path) -> int:
    """Return the mode of what is beside a grove: that of the grove, as its owner has set it."""
    with contextlib.suppress(OSError):
        return grove.stat().st_mode & 0o666
    return OWNER_ONLY


def _is_there(file: Path) -> bool:
    with contextlib.suppress(OSError):
        return hashlib.sha256(read_regular(file, MOST_MEDIA_BYTES)).hexdigest() == file.name
    return False  # what is no file, or another one, is put right


def read_media(grove: Path, names: Iterable[str]) -> dict[str, bytes]:
    """The bytes of those media that are there and are what their name says."""
    found: dict[str, bytes] = {}
    for name in names:
        if Path(name).name != name:  # names come from files of others
            continue
        with contextlib.suppress(OSError, ValueError):
            data = read_regular(media_folder(grove) / name, MOST_MEDIA_BYTES)
            if hashlib.sha256(data).hexdigest() == name:
                found[name] = data
    return found


class MediaFolder:
    """The images beside a grove, as they are asked for when a model is; see `core.model.content.Media`.

    Sizes are kept until the folder changes: whoever types is asked for all of them at every key.
    """

    def __init__(self, grove: Path) -> None:
        self._grove = grove
        self._changed_at: int | None = None
        self._sizes: dict[str, int | None] = {}

    def size(self, ref: str) -> int | None:
        """Return how many bytes an image has; None if it is not there."""
        folder = media_folder(self._grove)
        try:
            changed_at = folder.stat().st_mtime_ns
        except OSError:
            return None
        if changed_at != self._changed_at:
            self._sizes.clear()
            # A folder may change again within the same tick of its clock: look again until it is past.
            is_settled = time.time_ns() - changed_at > SETTLED_NS
            self._changed_at = changed_at if is_settled else None
        if ref not in self._sizes:
            self._sizes[ref] = _size(folder / ref) if Path(ref).name == ref else None
        return self._sizes[ref]

    def read(self, ref: str) -> bytes | None:
        """The bytes of an image; None if it is not there, or is not what its name says."""
        return read_media(self._grove, (ref,)).get(ref)


def _size(file: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        return file.stat().st_size if file.is_file() else None
    return None


class MediaOfFile:
    """The images that a file of one tree carries along; see `core.model.content.Media`."""

    def __init__(self, media: Mapping[str, bytes]) -> None:
        self._media = media

    def size(self, ref: str) -> int | None:
        """Return how many bytes an image has; None if the file has none."""
        data = self._media.get(ref)
        return None if data is None else len(data)

    def read(self, ref: str) -> bytes | None:
        return self._media.get(ref)


def copy_media(grove: Path, to: Path) -> None:
    """Puts the media of one grove beside another too. Raises: OSError if they cannot be read or written."""
    folder = media_folder(to)
    folder.mkdir(mode=0o700, exist_ok=True)
    for file in media_folder(grove).iterdir():
        copy = folder / file.name
        if file.is_file() and not is_open_here(file) and not copy.exists():  # no link to it
            write_whole(copy, read_regular(file, MOST_MEDIA_BYTES))
