"""Sources of trees: a file, a zip or a folder, its members read as streams; nothing is unpacked."""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Protocol, Self

from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import worded
from loomapp.files import MOST_TREE_BYTES, check_regular, open_regular, what_else
from loomapp.formats.lenient_json import read_list

MOST_FILES = 100_000  # of a folder
HEAD_BYTES = 1 << 16
FEW_ITEMS = 8
FEW_BYTES = 1 << 24  # of the first items of a list: one that is longer is not looked at


class SourceHead(NamedTuple):
    """The beginning of a file; of a JSON list its first items, as far as they can be read."""

    text: bytes
    items: Sequence[object] = ()


class Source:
    """One thing to import from. `names` are its members in order; a single file is its own only member."""

    no_files: Sequence[tuple[str, str]] = ()  # names in a folder that lead to no file, and what it is

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: tuple[str, ...] = (path.name,)
        self._heads: dict[str, SourceHead] = {}
        self.memory: dict[str, tuple[object, ...]] = {}  # what was found out of it

    @property
    def is_single(self) -> bool:
        return True

    @property
    def is_folder(self) -> bool:
        return False

    def remembered(self, about: str, find: Callable[[], tuple[object, ...]]) -> tuple[object, ...]:
        """Return what was found out of it once; many formats ask."""
        if about not in self.memory:
            self.memory[about] = find()
        return self.memory[about]

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

    def head(self, name: str) -> SourceHead:
        """The beginning of a member, read once. Raises: OSError, InvalidInput."""
        if name not in self._heads:
            with self.open(name) as file:
                text = file.read(HEAD_BYTES)
            self._heads[name] = SourceHead(text, tuple(self._first_items(name, text)))
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
    """A zip archive, looked at before anything of it is read."""

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


class MemberSource(Source):
    """One file of an archive, as if it were alone."""

    def __init__(self, whole: Source, name: str) -> None:
        super().__init__(Path(name))
        self._whole, self.names = whole, (name,)

    @property
    def size(self) -> int:
        return self._whole.member_size(self.names[0])

    def open(self, name: str) -> Stream:
        return self._whole.open(name)

    def member_size(self, name: str) -> int:
        return self._whole.member_size(name)


class FolderSource(Source):
    """A folder with the files below it; links are not followed, and pipes and devices are no files."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        modes = dict(_below(path))
        self.names = tuple(name for name, mode in modes.items() if stat.S_ISREG(mode))
        self.no_files = [(name, words) for name, mode in modes.items() if (words := what_else(mode))]

    @property
    def is_single(self) -> bool:
        return False

    @property
    def is_folder(self) -> bool:
        return True

    @property
    def size(self) -> int:
        return sum(map(self.member_size, self.names))

    def open(self, name: str) -> Stream:
        """A file in it. Raises: OSError."""
        return open_regular(self.path / name)

    def member_size(self, name: str) -> int:
        return (self.path / name).stat().st_size


def _below(folder: Path) -> Iterator[tuple[str, int]]:
    """Every name below a folder that is no folder's own, with its mode."""
    count = 0
    for place, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        for name in sorted((*links, *files)):
            count += 1
            if count > MOST_FILES:
                raise InvalidInput(
                    worded(
                        "it holds more than {most} files; choose the folder of the export alone",
                        most=f"{MOST_FILES:,}",
                    )
                )
            path = Path(place) / name
            yield path.relative_to(folder).as_posix(), path.lstat().st_mode


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


MOST_MEMBERS = 100_000
MOST_TOTAL_BYTES = 16 << 30  # of all members, unpacked
MOST_RATIO = 200  # how many times as large a member may become
SMALL = 1 << 20  # bytes, below which the ratio says nothing
METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
IS_ENCRYPTED = 0x1
_LEADS_OUT = re.compile(r"^[/\\]|^[A-Za-z]:[/\\]|(^|[/\\])\.\.([/\\]|$)|\0")
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)
REMEDY = "Ask for the export again, or unpack it yourself and choose the folder."


class Stream(Protocol):
    """A file or a member of one, read from its beginning to its end."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    def read(self, size: int = -1, /) -> bytes: ...

    def tell(self) -> int: ...


def is_zip(file: IO[bytes]) -> bool:
    """Tell by its first bytes; it then stands at its beginning again."""
    file.seek(0)
    sign = file.read(4)
    file.seek(0)
    return sign in (b"PK\x03\x04", b"PK\x05\x06")


class ZipMembers:
    """The files in an archive, every one of them checked before the first is read."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        """Raises: InvalidInput, one line that names the member and says what to do."""
        self._name = name
        try:
            self._archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise InvalidInput(
                worded("it is a damaged zip: {why}. {remedy}", why=str(error), remedy=REMEDY)
            ) from error
        infos = [info for info in self._archive.infolist() if not info.is_dir()]
        self._check_all(infos)
        self._infos = _by_own_names(infos)
        self.names = tuple(self._infos)

    def _check_all(self, infos: list[zipfile.ZipInfo]) -> None:
        if len(infos) > MOST_MEMBERS:
            raise self._refusal("{count} files", "more than {most} are not read", len(infos), MOST_MEMBERS)
        total = 0
        for info in infos:
            self._check(info)
            total += info.file_size
            if total > MOST_TOTAL_BYTES:
                raise InvalidInput(
                    worded(
                        "its files would unpack to more than {most} GiB, up to “{member}”. {remedy}",
                        most=MOST_TOTAL_BYTES >> 30,
                        member=info.filename,
                        remedy=REMEDY,
                    ),
                    place=info.filename,
                )

    def _refusal(self, what: str, why: str, count: int, most: int) -> InvalidInput:
        said = f"it holds {what.format(count=f'{count:,}')}; {why.format(most=f'{most:,}')}"
        return InvalidInput(worded("{said}. {remedy}", said=said, remedy=REMEDY))

    def _check(self, info: zipfile.ZipInfo) -> None:
        name = info.filename
        if _LEADS_OUT.search(getattr(info, "orig_filename", name)) or _LEADS_OUT.search(name):
            raise self._refused(name, "its name leads out of the zip")
        if info.flag_bits & IS_ENCRYPTED:
            raise self._refused(name, "it is locked with a password")
        if info.compress_type not in METHODS:
            raise self._refused(name, "it is packed in a way that is not read")
        if info.file_size > SMALL and info.file_size > MOST_RATIO * max(info.compress_size, 1):
            raise self._refused(name, f"it would unpack to more than {MOST_RATIO} times its size")

    def _refused(self, name: str, why: str) -> InvalidInput:
        return InvalidInput(
            worded("“{member}”: {why}. {remedy}", member=name, why=why, remedy=REMEDY), place=name
        )

    def size(self, name: str) -> int:
        """The bytes that a member says it unpacks to; no more are ever read of it."""
        return self._infos[name].file_size

    def open(self, name: str) -> Stream:
        """A member, to be read. Raises: InvalidInput if it is damaged, now or while it is read."""
        try:
            return _Member(self._archive.open(self._infos[name]), lambda why: self._refused(name, why))
        except DAMAGE as error:
            raise self._refused(name, f"it is damaged ({error})") from error


def _by_own_names(infos: Sequence[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The files by their names. Of several with one name the last keeps it, as it does where a zip is
    unpacked; each of the others has a number before its ending, so that nothing is passed over.
    """
    found: dict[str, zipfile.ZipInfo] = {}
    numbers: Counter[str] = Counter()
    for info in reversed(infos):
        name = info.filename
        stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
        while name in found:
            numbers[info.filename] += 1
            name = f"{stem} ({numbers[info.filename] + 1}){dot}{ending}"
        found[name] = info
    return dict(reversed(found.items()))


class _Member:
    """A member as a stream, whose damage is told in one line."""

    def __init__(self, file: IO[bytes], refused: Callable[[str], InvalidInput]) -> None:
        self._file, self._refused = file, refused

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1, /) -> bytes:
        try:
            return self._file.read(size)
        except DAMAGE as error:
            raise self._refused(f"it is damaged ({error})") from error
