"""Drafts on disk: what was typed or streamed and is no node yet, a small file each beside the grove.

Beside the grove, not in it. A row in the grove would take its one write lock several times a second, each
time for a sync of the disk, against the window's own commits and other programs'; in a network folder there
is no second connection to write it with; and half a sentence would go along into every copy and backup. A
file that is written aside, synced and renamed is whole or the one before it, whenever the power goes, and a
damaged grove takes no draft with it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import math
import os
import queue
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.core.times import Milliseconds
from loomapp.files import MOST_DRAFT_BYTES, read_regular
from loomapp.store.files import draft_folders

Kind: TypeAlias = Literal[
    "composer",
    "behind",
    "settings",
    "run",
    "edit",
    "note",
    "summary",
    "document",
    "memory",
    "card",
    "ghost",
    "sources",
    "candidates",
    "proposal",
]
KINDS: frozenset[str] = frozenset(get_args(Kind))
FORMAT = 1
ENDING = ".draft.json"
CLAIM_ENDING = ".claim"


class Slot(NamedTuple):
    """The name of a draft: one of a kind in a tree, or several told apart by a key."""

    tree_id: str
    kind: Kind
    key: str = ""

    @property
    def file_name(self) -> str:
        """A name that any file system takes, whatever the ids are made of."""
        return f"{self._stem}{ENDING}"

    @property
    def claim_name(self) -> str:
        """The name of the file that a process holds while it writes the draft; see `draft_claims`."""
        return f"{self._stem}{CLAIM_ENDING}"

    @property
    def _stem(self) -> str:
        digest = hashlib.sha256("\0".join(self).encode("utf-8", "surrogatepass")).hexdigest()
        return f"{self.kind}-{digest[:32]}"


@dataclass(frozen=True, slots=True)
class DraftRow:
    """One draft as it is kept; `body` holds JSON values."""

    slot: Slot
    at: Milliseconds  # when the words were written
    body: Mapping[str, object]


def drafts_folder(grove: Path) -> Path:
    """Return where a grove's drafts are: `<file name>.drafts` beside it."""
    return grove.with_name(f"{grove.name}{draft_folders.ENDING}")


def keep(folder: Path, row: DraftRow) -> None:
    """Write a draft in place of the one before it; a crash leaves either. Raises: GroveError."""
    file = folder / row.slot.file_name
    part = file.with_name(f"{file.name}.part")
    try:
        make(folder)
        try:
            _write(part, _encoded(row))
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
        _sync_folder(folder)
    except OSError as error:
        raise fault(folder, error) from error


def make(folder: Path) -> None:
    """Make the folder of a grove's drafts, if it is not there, and note that it is. Raises: OSError."""
    if not folder.exists():
        folder.mkdir(mode=0o700, exist_ok=True)
        draft_folders.note_folder(folder)


def unmake(folder: Path) -> None:
    """Take the folder away if nothing is left in it."""
    with contextlib.suppress(OSError):
        folder.rmdir()
        draft_folders.forget_folder(folder)


def forget(folder: Path, slot: Slot) -> None:
    """Take a draft away, if it is there, what was begun of it, and the claim on it. Raises: GroveError."""
    try:
        (folder / slot.file_name).unlink(missing_ok=True)
        (folder / f"{slot.file_name}.part").unlink(missing_ok=True)  # of a process that was killed
        (folder / slot.claim_name).unlink(missing_ok=True)
        unmake(folder)
    except OSError as error:
        raise fault(folder, error) from error


def read(folder: Path) -> list[DraftRow]:
    """Return every draft of a grove, oldest first; a file that is none is left alone. Raises: GroveError."""
    try:
        files = [file for file in folder.iterdir() if file.name.endswith(ENDING)]
        rows = [_read(file) for file in files]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise fault(folder, error) from error
    return sorted((row for row in rows if row is not None), key=lambda row: (row.at, row.slot))


def _read(file: Path) -> DraftRow | None:
    """A draft; what is no regular file, or far too large for one, is none, or was just taken away."""
    try:
        return _decoded(read_regular(file, MOST_DRAFT_BYTES))
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EISDIR, errno.EFBIG):
            return None
        raise


def _write(file: Path, data: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as handle:  # noqa: PTH123 - a descriptor, so that nobody else can read it
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())


def _sync_folder(folder: Path) -> None:
    """The new name reaches the disk too, where a folder can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _encoded(row: DraftRow) -> bytes:
    tree_id, kind, key = row.slot
    value = {"format": FORMAT, "tree": tree_id, "kind": kind, "key": key, "at": row.at, "body": row.body}
    return json.dumps(value).encode("ascii")


def _decoded(data: bytes) -> DraftRow | None:
    try:
        value = json.loads(data)
        slot = Slot(str(value["tree"]), value["kind"], str(value["key"]))
        row = DraftRow(slot, int(value["at"]), dict(value["body"]))
    except (ValueError, KeyError, TypeError):
        return None
    return row if slot.kind in KINDS and value["format"] == FORMAT else None


def fault(folder: Path, error: OSError) -> GroveError:
    """Return why a draft could not be written, or read."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        what, code = worded("the disk is full; make room, it is tried again by itself"), "full"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        what, code = worded("it is read-only; make it writable"), "readOnly"
    else:
        what = worded("{why}; look at the disk, it is tried again by itself", why=error.strerror)
        code = "ioError"
    text = worded(
        "What you write is not safe from a crash: {folder} could not be written ({what}).",
        folder=folder,
        what=what,
    )
    return GroveError(code, text, path=str(folder))


_log = logging.getLogger(__name__)

Make: TypeAlias = Callable[[], DraftRow]


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of one wish; no error: it is on disk, or gone from it."""

    slot: Slot
    make: Make | None  # the wish: None was to take it away
    error: GroveError | None


PAUSE_S = 0.25  # after the last key
CEILING_S = 0.3  # after the first key that is not kept yet; what is left of a second is for a busy machine
MOST_S = 0.7  # likewise, of what takes long to put into words, as a very long answer does
SHARE = 6  # of the time between two writings, a sixth is spent on them, as far as MOST_S allows


class _Wish(NamedTuple):
    """The newest of a draft; None takes it away."""

    make: Make | None
    since: float  # by the monotonic clock: the first of it that is not kept
    due: float


class DraftWriter:
    """Writes each draft a pause after it was put, by a clock of its own: whoever puts it may be too busy for
    a timer. Only `close` ever blocks. Close it, else what was put last may not be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._wishes: dict[Slot, _Wish] = {}
        self._outcomes: queue.SimpleQueue[Written] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._cost: dict[Slot, float] = {}  # seconds of the processor that the last writing took
        self._wakes_at = math.inf  # the thread, by itself
        self._in_hand = False
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="draft writer", daemon=True)
        self._thread.start()

    @property
    def is_busy(self) -> bool:
        """True while something is being written, or is due."""
        with self._changed:
            return self._in_hand or any(wish.due <= time.monotonic() for wish in self._wishes.values())

    def put(self, slot: Slot, make: Make) -> None:
        """Keep a draft soon. `make` runs on the writer's thread, so it may only look at values."""
        with self._changed:
            at = time.monotonic()
            known = self._wishes.pop(slot, None)
            since = at if known is None else known.since
            ceiling_s = max(CEILING_S, min(MOST_S, SHARE * self._cost.get(slot, 0.0)))
            due = min(at + PAUSE_S, since + ceiling_s)
            if known is not None and known.due <= at:  # it was to be written at once
                due = known.due
            self._wish(slot, _Wish(make, since, due))

    def forget(self, slot: Slot) -> None:
        """Take a draft away at once."""
        with self._changed:
            at = time.monotonic()
            self._wishes.pop(slot, None)
            self._wish(slot, _Wish(None, at, at))

    def hurry(self, slots: Collection[Slot]) -> None:
        """Write what was put of some drafts at once."""
        with self._changed:
            at = time.monotonic()
            for slot in [slot for slot in self._wishes if slot in slots]:
                wish = self._wishes[slot]
                self._wish(slot, wish._replace(due=min(wish.due, at)))

    def outcomes(self) -> list[Written]:
        """Return what became of wishes since the last time, in their order."""
        written: list[Written] = []
        with suppress(queue.Empty):
            while True:
                written.append(self._outcomes.get_nowait())
        return written

    def close(self, timeout_s: float) -> bool:
        """Write what is left, for so long; False if the disk did not take it in time."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _wish(self, slot: Slot, wish: _Wish) -> None:
        self._wishes[slot] = wish
        if wish.due < self._wakes_at:
            self._changed.notify()

    def _work(self) -> None:
        while (wish := self._next()) is not None:
            slot, make = wish
            error: GroveError | None = None
            begun = time.thread_time()
            try:
                forget(self._folder, slot) if make is None else keep(self._folder, make())
            except GroveError as fault:
                error = fault
            except Exception:
                _log.exception("A draft could not be put into words")
                text = "What you write is not safe from a crash: Loomapp made a mistake; its log says more."
                error = GroveError("unknown", text)
            self._note_cost(slot, None if make is None else time.thread_time() - begun)
            self._outcomes.put(Written(slot, make, error))

    def _note_cost(self, slot: Slot, cost_s: float | None) -> None:
        """Note what a writing took of the processor; None: the draft is gone."""
        with self._changed:
            self._cost.pop(slot, None)
            if cost_s is not None:
                self._cost[slot] = cost_s

    def _next(self) -> tuple[Slot, Make | None] | None:
        """The wish that is due first; waits for one, None when there will be no more."""
        with self._changed:
            self._in_hand = False
            while True:
                slot = min(self._wishes, key=lambda slot: self._wishes[slot].due, default=None)
                due = math.inf if slot is None else self._wishes[slot].due
                left_s = due - time.monotonic()
                if slot is not None and (left_s <= 0 or self._is_closing):
                    self._in_hand = True
                    return slot, self._wishes.pop(slot).make
                if self._is_closing:
                    return None
                self._wakes_at = due
                self._changed.wait(None if slot is None else left_s)
                self._wakes_at = -math.inf
