"""The end of the window's process: at once, as soon as everything that must last is on disk."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from typing import NoReturn


def end_process(status: int) -> NoReturn:
    """End this process here, without the interpreter's own way out.

    That way takes modules and widgets apart for half a second, of the one in which quitting is promised, and
    nobody needs the pieces. What it does that matters is done here. Call it last: the grove is closed, the
    locks are released, child processes have ended. Threads are cut off where they are: one that waits for a
    server that hangs, or a backup under way, whose unfinished copy the next one clears.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, full, or none at all
            stream.flush()
    os._exit(status)
