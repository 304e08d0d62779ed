"""G13: an export of 100 MB previewed and taken in, beside one `json.load` of it.

The goal's own rows are of ChatGPT's; `formats` asks the same of every other JSON format, of trees twice: with
texts of 80 characters, of which there are hundreds of thousands, and of 5,000.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from tests.bench.load_rows import JSON_LOAD, LOOMAPP, Spent, spent
from tests.bench.table import Goal, Opened, Place, Rivals, Row, Unit
from tests.kit.exports.large import CHATS, LONG_TEXT, TREES, write_large

BYTES = 100_000_000
MOST_MB = 250
START = "import loomapp.cli.commands.import_trees"  # what the command has loaded before it reads
JSON_LINES = "import json, sys; kept = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]"
LINES = frozenset({"sillytavern", "pi", "claude-code", "jsonl"})


class Export(NamedTuple):
    """A large file of a format; a length of 0 is the usual one of its texts."""

    format: str
    length: int = 0

    def path(self, place: Place) -> Path:
        """The file, made once for all rows."""
        path = place.groves.folder / f"{self.format}-{self.length}.export"
        return path if path.exists() else write_large(self.format, path, BYTES, self.length)

    def previewing(self, place: Place) -> Callable[[], Spent]:
        """`loomapp import --preview` without a grove to compare with."""
        words = (*LOOMAPP, "import", str(self.path(place)), "--preview", "--json")
        return lambda: spent((*words, "--grove", str(place.groves.folder / "none.loom")))

    def importing(self, place: Place) -> Callable[[], Spent]:
        """`loomapp import` into a grove that is made for it."""
        numbers, words = iter(range(1_000_000)), (*LOOMAPP, "import", str(self.path(place)), "--grove")
        folder = place.grove().parent
        return lambda: spent((*words, str(folder / f"export{next(numbers)}.loom")))

    def beside_json(self, made: Callable[[Place], Callable[[], Spent]]) -> Opened:
        """The processor time of a command, and that of a bare `json.load`."""

        @contextmanager
        def opened(place: Place) -> Iterator[Rivals]:
            run = made(place)
            load = sys.executable, "-c", JSON_LINES if self.format in LINES else JSON_LOAD
            floor = (*load, str(self.path(place)))
            yield Rivals(lambda: run().seconds, lambda: spent(floor).seconds)

        return opened

    def above_start(self, place: Place) -> AbstractContextManager[Rivals]:
        """The memory that the import takes above what it had at its start, beside what it may take."""
        run = self.importing(place)
        start = sys.executable, "-c", START
        return nullcontext(Rivals(lambda: run().megabytes - spent(start).megabytes, lambda: float(MOST_MB)))

    def rows(self, name: str, what: str) -> Iterator[Row]:
        """The rows of this file."""
        yield _row(name, f"{what} previewed", "json.load", self.beside_json(self.previewing), 3, "s")
        taken_in = self.beside_json(self.importing)
        yield _row(f"{name} import", "… and taken in", "json.load", taken_in, 8, "s")
        most = "… the most it had above its start"
        yield _row(f"{name} memory", most, "what it may have", self.above_start, 1, "MB")


def _row(name: str, says: str, floor: str, opened: Opened, goal: float, unit: Unit) -> Row:
    return Row(name, says, floor, opened, Goal(goal), unit, nodes=(1_000,), sized=False)


def _of_formats() -> Iterator[Row]:
    for name in CHATS:
        if name != "chatgpt":
            yield from Export(name).rows(f"formats {name}", f"100 MB of {name}")
    for name in TREES:
        yield from Export(name).rows(f"formats {name}", f"100 MB of {name}, short texts")
        yield from Export(name, LONG_TEXT).rows(f"formats {name} long", f"100 MB of {name}, long texts")


ROWS = (*Export("chatgpt").rows("G13", "a 100 MB export"), *_of_formats())
