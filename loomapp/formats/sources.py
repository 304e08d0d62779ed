"""Sources of trees: a file, a zip or a folder, its members read as streams; nothing is unpacked to disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import worded
from loomapp.formats.json_items import read_list
from loomapp.formats.zip_members import Stream, ZipMembers, is_zip
from loomapp.regular_files import MOST_TREE_BYTES, check_regular, open_regular

MOST_FILES = 100_000  # of a folder
HEAD_BYTES = 1 << 16
FEW_ITEMS = 8
FEW_BYTES = 1 << 24  # of the first items of a list: one that is longer is not looked at


class Head(NamedTuple):
    """The beginning of a file; of a JSON list its first items, as far as they can be read."""

    text: bytes
    items: Sequence[object] = ()


class Source:
    """One thing to import from. `names` are its members in order; a single file is its own only member."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: tuple[str, ...] = (path.name,)
        self._heads: dict[str, Head] = {}

    @property
    def is_single(self) -> bool:
        return True

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def open(self, name: str) -> Stream:
        """A member, to be read and closed. Raises: OSError, InvalidInput."""
        del name  # it has no other
        return open_regular(self.path)

    def member_size(self, name: str) -> int:
        """The bytes of a member as it is read."""
        del name
        return self.size

    def head(self, name: str) -> Head:
        """The beginning of a member, read once. Raises: OSError, InvalidInput."""
        if name not in self._heads:
            with self.open(name) as file:
                text = file.read(HEAD_BYTES)
            self._heads[name] = Head(text, tuple(self._first_items(name, text)))
        return self._heads[name]

    def _first_items(self, name: str, text: bytes) -> Iterator[object]:
        if not text.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
            return
        with self.open(name) as file:
            try:
                for number, item in enumerate(read_list(_Short(file, FEW_BYTES)), 1):
                    yield item
                    if number == FEW_ITEMS:
                        return
            except InvalidInput:  # whoever reads it on will name the place
                return


class _Short:
    """The first bytes of a file, as a file."""

    def __init__(self, file: Stream, most: int) -> None:
        self._file, self._left = file, most

    def read(self, size: int, /) -> bytes:
        data = self._file.read(min(size, self._left))
        self._left -= len(data)
        return data


class ZipSource(Source):
    """A zip archive, looked at before anything of it is read; see `zip_members`."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        super().__init__(path)
        self._members = ZipMembers(path.name, file)
        self.names = self._members.names

    @property
    def is_single(self) -> bool:
        return False

    def open(self, name: str) -> Stream:
        """A member, unpacked as it is read. Raises: InvalidInput if it is damaged."""
        return self._members.open(name)

    def member_size(self, name: str) -> int:
        """The bytes that it says it unpacks to."""
        return self._members.size(name)


class FolderSource(Source):
    """A folder with the files below it; links are not followed, and pipes and devices are no files."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.names = tuple(_below(path))

    @property
    def is_single(self) -> bool:
        return False

    @property
    def size(self) -> int:
        return sum(map(self.member_size, self.names))

    def open(self, name: str) -> Stream:
        """A file in it. Raises: OSError."""
        return open_regular(self.path / name)

    def member_size(self, name: str) -> int:
        return (self.path / name).stat().st_size


def _below(folder: Path) -> Iterator[str]:
    count = 0
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            count += 1
            if count > MOST_FILES:
                raise InvalidInput(
                    worded(
                        "it holds more than {most} files; choose the folder of the export alone",
                        most=f"{MOST_FILES:,}",
                    )
                )
            if stat.S_ISREG((Path(place) / name).lstat().st_mode):
                yield (Path(place) / name).relative_to(folder).as_posix()


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """A file, zip or folder, open for the block. Raises: OSError, InvalidInput."""
    if path.is_dir():
        yield FolderSource(path)
        return
    with open_regular(path) as file:
        if is_zip(file):
            yield ZipSource(path, file)
            return
    check_regular(path, MOST_TREE_BYTES)
    yield Source(path)
