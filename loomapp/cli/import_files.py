"""Files and folders that trees come from: which format each is, and what is found in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from loomapp.core.errors import InvalidInput
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.formats.importer import Detected, Finding, Reading
from loomapp.formats.registry import IMPORTERS, detect
from loomapp.formats.sources import Source, open_source

NOT_RECOGNISED = sentence("nothing else recognised it, and it was read as that")
ASKED_FOR = sentence("you asked for this format")


class ImportFile(NamedTuple):
    """A file, zip or folder by the name that it was given, and the format it is read as."""

    name: str
    size: int
    detected: Detected

    def read(self, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
        """Yield its trees one after the other. Raises: InvalidInput, naming the file and the place."""
        with complaints_named(self.name), open_source(Path(self.name)) as source:
            yield from self.detected.importer.read(source, reading, progress)


def import_files(
    names: Iterable[str], format_name: str | None, tell: Callable[[str], None]
) -> list[ImportFile]:
    """The files that arguments name, those of a folder one by one unless the whole is one export.

    `tell` hears of what is passed over. Raises: InvalidInput if a name leads to nothing that is read.
    """
    found: list[ImportFile] = []
    for name in names:
        with complaints_named(name), open_source(Path(name)) as source:
            if Path(name).is_dir():
                found += _of_folder(name, source, format_name, tell)
            else:
                found.append(ImportFile(name, source.size, _detected(source, format_name)))
    return found


def _of_folder(
    name: str, source: Source, format_name: str | None, tell: Callable[[str], None]
) -> list[ImportFile]:
    whole = detect(source)
    if whole is not None and format_name in (None, whole.importer.name):
        return [ImportFile(name, source.size, whole)]
    found: list[ImportFile] = []
    for inner in source.names:
        if "/" in inner:
            continue
        path = Path(name) / inner
        try:
            with open_source(path) as file:
                detected = detect(file)
                size = file.size
        except (OSError, InvalidInput) as error:
            tell(f"{path}: passed over: {error}")
            continue
        if detected is None or format_name not in (None, detected.importer.name):
            tell(f"{path}: passed over: it is no format that is read")
        else:
            found.append(ImportFile(str(path), size, detected))
    if not found:
        raise InvalidInput("it is a folder with nothing in it that is read; choose a file, or another folder")
    return found


def _detected(source: Source, format_name: str | None) -> Detected:
    if format_name is not None:
        return Detected(IMPORTERS[format_name], ASKED_FOR)
    found = detect(source)
    if found is not None:
        return found
    if not source.is_single:
        titles = ", ".join(importer.title for importer in IMPORTERS.values())
        raise InvalidInput(
            worded("it is a zip that holds nothing that is read; these are: {titles}", titles=titles)
        )
    # Its reader names the first thing that is wrong with it.
    return Detected(IMPORTERS["loom-json"], NOT_RECOGNISED)


@contextmanager
def complaints_named(name: str) -> Iterator[None]:
    """Puts the file's name in front of what is said of it. Raises: InvalidInput."""
    try:
        yield
    except InvalidInput as error:
        if error.details.get("file") == name:
            raise
        raise InvalidInput(f"{name}: {error.message}", **{"file": name, **error.details}) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidInput(f"{name}: cannot be read: {why}", file=name) from error


def sentences_of(texts: Iterable[Sentence]) -> list[str]:
    return [str(text) for text in texts]
