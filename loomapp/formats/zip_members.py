"""Members of a zip archive: refused whole if it would lead out of itself, or unpack to more than is sound."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable
from types import TracebackType
from typing import IO, Protocol, Self

from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import worded

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
        self._infos = {info.filename: info for info in infos}
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
