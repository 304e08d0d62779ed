"""Model files: GGUF files that can be used as local models, added, found, removed; and the window of each.

A file of the user's stays where it is: what is added is a small `<name>.gguf.path` that names it.
"""

from __future__ import annotations

import functools
import hashlib
import struct
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.generation.provider import ProviderError, Stop
from loomapp.core.sentences import sentence, worded
from loomapp.files import open_regular, read_text
from loomapp.places import model_folder
from loomapp.providers.engine.model_fetch import KNOWN_MODELS, REMEDY, OnProgress, fetch_into
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.protocols.learned import learned
from loomapp.providers.protocols.model_rules import LOCAL_CONTEXT_WINDOW, ModelRules, seeded_rules

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


HERE = "local"  # stands for the address of an endpoint, where what is known of a model is kept


def local_rules(model_ref: str) -> ModelRules:
    """Return what is known of `local:model`. Its window is 8,192 tokens unless its user wants another, for
    each takes memory while the model is loaded; and never more than its file says.
    """
    name = model_ref.partition(":")[2]
    rules = learned().applied(HERE, name, seeded_rules(model_ref))
    return replace(rules, context_window=min(rules.context_window, most_window(name)))


def most_window(name: str) -> int:
    """Return the tokens that the file of a model allows; the usual number where it does not say."""
    path = find(name)
    return (None if path is None else trained_window(path)) or LOCAL_CONTEXT_WINDOW


MOST_BYTES = 1 << 20  # what is looked for stands before the words of the tokenizer, which take megabytes
UINT32, STRING, ARRAY, UINT64 = 4, 8, 9, 10
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
WINDOW_KEY = ".context_length"  # behind the name of the architecture


def trained_window(path: Path) -> int | None:
    """Return the tokens that go into a model as its file says; None where it does not say, or can't be
    read.
    """
    try:
        told = path.stat()
    except OSError:
        return None
    return _trained_window(path, told.st_mtime_ns, told.st_size)


@functools.lru_cache(maxsize=16)
def _trained_window(path: Path, _written_at: int, _size: int) -> int | None:
    """Read once for as long as it stays the same: every preview asks."""
    try:
        with open_regular(path) as file:
            return _window_in(BytesIO(file.read(MOST_BYTES)))
    except (OSError, struct.error, ValueError, RecursionError):
        return None


def _window_in(head: BytesIO) -> int | None:
    """Return the window of a file that begins so. Raises: struct.error at the end of it; ValueError."""
    head.seek(16)  # the magic word, the version, and how many tensors there are
    for _ in range(_number(head, "Q")):
        key, kind = _text(head), _number(head, "I")
        if key.endswith(WINDOW_KEY) and kind in (UINT32, UINT64):
            return _number(head, "I" if kind == UINT32 else "Q") or None
        _skip(head, kind)
    return None


def _skip(head: BytesIO, kind: int) -> None:
    if kind == STRING:
        _text(head)
    elif kind == ARRAY:
        inner, count = _number(head, "I"), _number(head, "Q")
        for _ in range(count if inner in (STRING, ARRAY) else 0):
            _skip(head, inner)
        if inner in SIZES:
            _pass(head, SIZES[inner] * count)
    else:
        _pass(head, SIZES.get(kind, MOST_BYTES))


def _pass(head: BytesIO, count: int) -> None:
    if count >= MOST_BYTES:
        raise ValueError("there is more than is read")
    head.seek(count, 1)


def _text(head: BytesIO) -> str:
    length = _number(head, "Q")
    if length >= MOST_BYTES:
        raise ValueError("there is more than is read")
    return head.read(length).decode("utf-8", "replace")


def _number(head: BytesIO, form: str) -> int:
    (value,) = struct.unpack(f"<{form}", head.read(struct.calcsize(form)))
    return int(value)
