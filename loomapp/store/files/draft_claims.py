"""Claims on drafts: a process that still writes one holds it, so that nobody takes it for left behind.

The window needs none, as there is one of it for a grove. Command lines come and go beside it: what they
stream is claimed by a lock on a small file beside the draft, which ends with the process, however that ends.
The file stays, and tells that the draft was a command line's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from loomapp.core.errors import GroveError
from loomapp.store.files import drafts
from loomapp.store.files.drafts import CLAIM_ENDING, DraftRow, Slot


class Claim:
    """A lock on one draft, until it is released or the process ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def release(self) -> None:
        """Let others have it; a second time does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def claim(folder: Path, slot: Slot) -> Claim | None:
    """Hold a draft, there or yet to be written; None if another process does. Raises: GroveError."""
    file = folder / slot.claim_name
    while True:
        try:
            drafts.make(folder)
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise drafts.fault(folder, error) from error
        is_ours = _is_locked(descriptor, "alone")
        if is_ours and _is_named(descriptor, file):
            return Claim(descriptor)
        os.close(descriptor)
        if not is_ours:
            return None


@contextmanager
def claimed(folder: Path, slot: Slot) -> Iterator[bool]:
    """Hold a draft that was left behind, for the block; False if another process does. Raises: GroveError."""
    held = claim(folder, slot)
    try:
        yield held is not None
    finally:
        if held is not None:
            held.release()


def is_claimed(folder: Path, slot: Slot) -> bool:
    """True while another process writes a draft."""
    try:
        descriptor = os.open(folder / slot.claim_name, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _is_locked(descriptor, "together")
    finally:
        os.close(descriptor)


def left_behind(folder: Path) -> list[DraftRow]:
    """The drafts of processes that claimed them and are gone, oldest first. Raises: GroveError."""
    if not has_claims(folder):
        return []
    rows = (row for row in drafts.read(folder) if (folder / row.slot.claim_name).exists())
    return [row for row in rows if not is_claimed(folder, row.slot)]


def under_way(folder: Path) -> list[DraftRow]:
    """The drafts that other processes are writing just now, oldest first; none that cannot be read."""
    if not has_claims(folder):
        return []
    with suppress(GroveError):
        return [row for row in drafts.read(folder) if is_claimed(folder, row.slot)]
    return []


def has_claims(folder: Path) -> bool:
    """True if any process claims a draft of a grove, or died while it did: to be asked at no cost."""
    with suppress(OSError):
        names = [file.name for file in folder.iterdir()]
        return not names or any(name.endswith(CLAIM_ENDING) for name in names)  # none: it died very early
    return False


def sweep(folder: Path) -> None:
    """Take away the claims of processes that died before they had anything to keep."""
    with suppress(OSError):
        for file in [file for file in folder.iterdir() if file.name.endswith(CLAIM_ENDING)]:
            draft = file.with_name(file.name.removesuffix(CLAIM_ENDING) + drafts.ENDING)
            if not draft.exists():
                _take_away(file, draft.with_name(f"{draft.name}.part"))
    drafts.unmake(folder)


def _take_away(file: Path, begun: Path) -> None:
    descriptor = os.open(file, os.O_RDWR)
    try:
        if _is_locked(descriptor, "alone"):
            begun.unlink(missing_ok=True)
            file.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _is_named(descriptor: int, file: Path) -> bool:
    """False if the file was taken away between its opening and its locking."""
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except OSError:
        return False


def _is_locked(descriptor: int, how: Literal["alone", "together"]) -> bool:
    """True if the lock is ours now; where there are no such locks nobody has one."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if how == "alone" else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
