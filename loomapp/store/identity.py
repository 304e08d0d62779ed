"""New ids and the time: ULIDs that rise within a process, and milliseconds since 1970."""

from __future__ import annotations

import secrets
import threading
import time

from loomapp.core.model.local_ids import ulid
from loomapp.core.times import Milliseconds

_RANDOM_BITS = 80
_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A ULID that is greater than every one this process made before, also when the clock is set back."""
    global _last  # noqa: PLW0603 - one process, one rising row of ids
    with _lock:
        fresh = now() << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
        _last = max(fresh, _last + 1)
        return ulid(_last)


def now() -> Milliseconds:
    """The wall clock, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000
