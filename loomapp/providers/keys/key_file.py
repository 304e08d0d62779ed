"""Keys in a file that only its owner can read: for computers without a keychain, with the owner's consent."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from loomapp import places
from loomapp.core.errors import LoomError
from loomapp.core.sentences import worded
from loomapp.regular_files import MOST_SETTINGS_BYTES, check_regular, read_text
from loomapp.temporary import sweep_parts

OWNER_ONLY = stat.S_IRUSR | stat.S_IWUSR


class KeyFileFailed(LoomError):
    """The file of keys can't be read or written."""

    code = "keyFile"


def key_file() -> Path:
    """Return where the keys are, once the user agreed."""
    return places.config_folder() / "keys.json"


def read_keys(path: Path) -> dict[str, str]:
    """Return every key in the file by its name; none if there is no file. Raises: KeyFileFailed."""
    try:
        check_regular(path, MOST_SETTINGS_BYTES)
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            path.chmod(OWNER_ONLY)  # somebody copied it; on Windows the folder is the owner's anyway
        read = json.loads(read_text(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else worded("it is not JSON")
        raise KeyFileFailed(
            worded("The keys in {path} can't be read: {why}. Mend or delete the file.", path=path, why=why)
        ) from None
    rows = read.items() if isinstance(read, dict) else ()
    return {name: text for name, text in rows if isinstance(text, str) and text}


def keep_key(path: Path, name: str, text: str) -> None:
    """Add a key to the file, which nobody else can read from its first byte on. Raises: KeyFileFailed."""
    _write(path, {**read_keys(path), name: text})


def drop_key(path: Path, name: str) -> None:
    """Take a key out; the last one takes the file with it. Raises: KeyFileFailed."""
    keys = read_keys(path)
    if keys.pop(name, None) is not None:
        _write(path, keys)


def _write(path: Path, keys: Mapping[str, str]) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if not keys:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part.unlink(missing_ok=True)
        sweep_parts(path.parent.glob(f".{path.name}.*.part"))
        opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            json.dump(keys, file, indent=1, sort_keys=True)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise KeyFileFailed(
            worded("The key could not be kept in {path}: {why}.", path=path, why=error.strerror)
        ) from None
