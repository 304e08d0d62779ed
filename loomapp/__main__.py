"""The command: `loomapp`, also `python -m loomapp`."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; return the exit status."""
    # Imported late: the engine's child process starts here too and needs none of it.
    try:
        from loomapp.cli.entry import run
    except KeyboardInterrupt:
        sys.stderr.write("loomapp: interrupted\n")
        return 130

    return run(list(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    sys.exit(main())
