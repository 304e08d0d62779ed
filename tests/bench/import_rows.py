"""G13: a chat export of 100 MB previewed and taken in, beside one `json.load` of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.load_rows import JSON_LOAD, LOOMAPP, Spent, spent
from tests.bench.table import Goal, Opened, Place, Rivals, Row, Unit
from tests.kit.chatgpt_exports import write_large

BYTES = 100_000_000
MOST_MB = 250
START = "import loomapp.cli.commands.import_trees"  # what the command has loaded before it reads


def export(place: Place) -> Path:
    """The export, made once for all rows."""
    path = place.groves.folder / "conversations.json"
    return path if path.exists() else write_large(path, BYTES)


def previewing(place: Place) -> Callable[[], Spent]:
    """`loomapp import --preview` without a grove to compare with."""
    words = (*LOOMAPP, "import", str(export(place)), "--preview", "--json")
    return lambda: spent((*words, "--grove", str(place.groves.folder / "none.loom")))


def importing(place: Place) -> Callable[[], Spent]:
    """`loomapp import` into a grove that is made for it."""
    numbers, file, folder = iter(range(1_000_000)), str(export(place)), place.grove().parent
    return lambda: spent((*LOOMAPP, "import", file, "--grove", str(folder / f"export{next(numbers)}.loom")))


def beside_json(made: Callable[[Place], Callable[[], Spent]]) -> Opened:
    """The processor time of a command, and that of a bare `json.load`."""

    @contextmanager
    def opened(place: Place) -> Iterator[Rivals]:
        run, file = made(place), str(export(place))
        yield Rivals(lambda: run().seconds, lambda: spent((sys.executable, "-c", JSON_LOAD, file)).seconds)

    return opened


@contextmanager
def above_start(place: Place) -> Iterator[Rivals]:
    """The memory that the import takes above what it had at its start, beside what it may take."""
    run = importing(place)
    yield Rivals(
        lambda: run().megabytes - spent((sys.executable, "-c", START)).megabytes, lambda: float(MOST_MB)
    )


def _row(name: str, says: str, floor: str, opened: Opened, goal: float, unit: Unit) -> Row:
    return Row(name, says, floor, opened, Goal(goal), unit, nodes=(1_000,), sized=False)


ROWS = (
    _row("G13", "a 100 MB export previewed", "json.load", beside_json(previewing), 3, "s"),
    _row("G13 import", "… and taken in", "json.load", beside_json(importing), 8, "s"),
    _row("G13 memory", "… the most it had above its start", "what it may have", above_start, 1, "MB"),
)
