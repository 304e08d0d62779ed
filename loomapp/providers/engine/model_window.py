"""Window of a local model: what its GGUF file allows, what is loaded of it, and what its user wants.

Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import functools
import struct
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from loomapp.files import open_regular
from loomapp.providers.engine import model_files
from loomapp.providers.protocols.learned import learned
from loomapp.providers.protocols.model_rules import LOCAL_CONTEXT_WINDOW, ModelRules, seeded_rules

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
    path = model_files.find(name)
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
