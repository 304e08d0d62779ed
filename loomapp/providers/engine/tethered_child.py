"""A Python module run as a child that never outlives its parent: it ends when its stdin does.

`python -m loomapp.providers.engine.tethered_child MODULE [argument …]`. A parent that is killed closes the
pipe as well.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading
from collections.abc import Callable

PARENT_GONE = 1


def end_with_parent(status: int, clear_up: Callable[[], None] | None = None) -> threading.Thread:
    """From now on this process ends when its stdin is closed, whatever it does, and clears up before. Gives
    what waits for that.
    """

    def wait() -> None:
        os.read(
            sys.stdin.fileno(), 1
        )  # by its number: a buffered reader in here would hold up an orderly end
        if clear_up is not None:
            clear_up()
        os._exit(status)

    thread = threading.Thread(target=wait, name="tether", daemon=True)
    thread.start()
    return thread


if __name__ == "__main__":
    end_with_parent(PARENT_GONE)
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
