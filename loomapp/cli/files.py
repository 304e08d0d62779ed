"""Files that arguments name: read whole, every complaint with the file's name in front."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from loomapp.core.errors import InvalidInput
from loomapp.regular_files import MOST_TREE_BYTES, check_regular, read_regular

T = TypeVar("T")


def read_file(name: str, read: Callable[[bytes], T]) -> T:
    """Read a file's bytes with `read`. Raises: InvalidInput, naming the file and the place."""
    return read_path(name, lambda path: read(read_regular(path, MOST_TREE_BYTES)))


def read_path(name: str, read: Callable[[Path], T]) -> T:
    """Read a file with `read`, which opens it itself. Raises: InvalidInput, as `read_file`."""
    try:
        check_regular(Path(name), MOST_TREE_BYTES)
        return read(Path(name))
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error.message}", file=name, **error.details) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(f"{name}: cannot be read: {why}", file=name) from error
