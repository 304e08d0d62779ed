"""Model files: the GGUF files that can be used as local models; adding, finding and removing them.

A file of the user's stays where it is: what is added is a small `<name>.gguf.path` that names it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.generation.provider import ProviderError, Stop
from loomapp.core.sentences import sentence, worded
from loomapp.files import open_regular, read_text
from loomapp.places import model_folder
from loomapp.providers.engine.model_fetch import KNOWN_MODELS, REMEDY, OnProgress, fetch_into
from loomapp.providers.protocols.exchange import Call

__all__ = ["REMEDY", "ModelFile", "add", "fetch", "find", "is_genuine", "models", "remove"]

SUFFIX = ".gguf"
POINTER_SUFFIX = ".gguf.path"
MAGIC = b"GGUF"
READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A local model; `is_own` when the file lies in the user's own folders and was only added."""

    name: str
    path: Path
    size_bytes: int
    is_own: bool

    @property
    def model_ref(self) -> str:
        return f"local:{self.name}"

    @property
    def can_be_fetched(self) -> bool:
        """Tell whether a file that is removed can be had again."""
        return self.name in KNOWN_MODELS


def models() -> list[ModelFile]:
    """Return every model whose file is there, by name."""
    found = {name: path for name, path in _entries().items() if path.is_file()}
    folder = model_folder()
    return [
        ModelFile(name, path, path.stat().st_size, is_own=path.parent != folder)
        for name, path in sorted(found.items())
    ]


def find(name: str) -> Path | None:
    """The file of a model, None if it is not there."""
    path = _entries().get(name)
    return path if path is not None and path.is_file() else None


def fetch(
    name: str, *, on_progress: OnProgress = lambda _received, _total: None, stop: Stop | None = None
) -> Path:
    """The file of a model, fetched if it is not there yet.

    Raises: ModelMissing with the reason and what to do; ProviderError modelNotFound, cancelled.
    """
    present = find(name)
    if present is not None:
        return present
    known = KNOWN_MODELS.get(name)
    if known is None:
        raise ProviderError(
            "modelNotFound",
            worded("There is no local model named {name}. {remedy}", name=name, remedy=sentence(REMEDY)),
        )
    return fetch_into(model_folder(), known, on_progress, stop or Call())


def is_genuine(name: str) -> bool:
    """Tell whether a known model's file is byte for byte what it must be; True for a model that
    nobody knows.
    """
    known, path = KNOWN_MODELS.get(name), find(name)
    if known is None:
        return True
    if path is None or path.stat().st_size != known.size_bytes:
        return False
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(READ_BYTES):
            digest.update(chunk)
    return digest.hexdigest() == known.sha256


def add(path: Path) -> ModelFile:
    """Makes a GGUF file usable where it lies; its name is the file's. Raises: InvalidInput."""
    path = path.expanduser().absolute()
    try:
        with open_regular(path) as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise InvalidInput(
            worded("{path}: can't be read ({why}). Choose a GGUF file.", path=path, why=error.strerror)
        ) from error
    if magic != MAGIC:
        raise InvalidInput(
            worded("{path}: is not a GGUF model. Choose a file that ends in .gguf.", path=path)
        )
    name = path.name.removesuffix(SUFFIX)
    taken = _entries().get(name)
    if taken is not None and taken != path:
        raise InvalidInput(
            worded(
                "{path}: there is another model named {name}. Rename the file, or remove the other.",
                path=path,
                name=name,
            )
        )
    folder = model_folder()
    if path.parent != folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}{POINTER_SUFFIX}").write_text(str(path), "utf-8")
    return ModelFile(name, path, path.stat().st_size, is_own=path.parent != folder)


def remove(name: str) -> None:
    """Forgets a model. A file in the model folder goes too, never one elsewhere. Raises: InvalidInput."""
    folder = model_folder()
    for entry in (folder / f"{name}{POINTER_SUFFIX}", folder / f"{name}{SUFFIX}"):
        if entry.name in {p.name for p in _listed(folder)}:
            entry.unlink()
            return
    raise InvalidInput(worded("There is no local model named {name}.", name=name))


def _entries() -> Mapping[str, Path]:
    """Name -> file, whether it is there or not."""
    entries: dict[str, Path] = {}
    for path in _listed(model_folder()):
        if path.name.endswith(POINTER_SUFFIX):
            entries[path.name.removesuffix(POINTER_SUFFIX)] = Path(read_text(path).strip())
        elif path.name.endswith(SUFFIX):
            entries[path.name.removesuffix(SUFFIX)] = path
    return entries


def _listed(folder: Path) -> list[Path]:
    """The model folder's own entries, so that a name with `..` in it finds nothing."""
    return sorted(folder.iterdir()) if folder.is_dir() else []
