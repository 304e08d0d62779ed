"""What import, verify and check of a large tree cost a process of their own, beside one `json.load` of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from loomapp.core.model.agent import Agent
from loomapp.formats import loom_json
from tests.bench.groves import HASHED, MODEL, SHAPES, WRITER, grown
from tests.bench.table import Opened, Place, Rivals, Row, Unit

# A small process between: Linux counts what the one had that began a process as had by that process too.
WAITER = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
"""
JSON_LOAD = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
LOOMAPP = (sys.executable, "-m", "loomapp")
KIB = 1024 if sys.platform == "linux" else 1  # of which `ru_maxrss` speaks, in bytes


class Spent(NamedTuple):
    """What a process took: its own processor time, and the most memory it had."""

    seconds: float
    megabytes: float


def spent(command: Sequence[str]) -> Spent:
    """Run a command to its end. Raises: CalledProcessError if it fails."""
    told = subprocess.run(
        [sys.executable, "-c", WAITER, *command],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    seconds, most = json.loads(told.stdout)
    return Spent(seconds, most * KIB / 1e6)


def written(place: Place) -> Path:
    """The tree as a Loom JSON file without responses."""
    path = place.groves.folder / f"{place.shape}-{place.nodes}.loom.json"
    if not path.exists():
        tree = grown(place.shape, place.nodes, hashed=place.nodes <= HASHED)
        agents = Agent(WRITER, "You", "human", loom_aware=True), MODEL
        path.write_text(loom_json.write(tree, agents), encoding="utf-8")
    return path


def importing(place: Place) -> Callable[[], Spent]:
    """`loomapp import` into a grove that is made for it."""
    numbers = iter(range(1_000_000))
    file, folder = str(written(place)), place.grove().parent

    def run() -> Spent:
        grove = folder / f"new{next(numbers)}.loom"
        return spent((*LOOMAPP, "import", file, "--grove", str(grove)))

    return run


def looking(command: str) -> Callable[[Place], Callable[[], Spent]]:
    """A command that looks at a grove and leaves it as it is."""

    def on(place: Place) -> Callable[[], Spent]:
        grove = str(place.grove())
        return lambda: spent((*LOOMAPP, command, "--grove", grove))

    return on


def beside_json(made: Callable[[Place], Callable[[], Spent]], what: Callable[[Spent], float]) -> Opened:
    """One figure of a command, and the same of a bare `json.load`."""

    @contextmanager
    def opened(place: Place) -> Iterator[Rivals]:
        run, file = made(place), str(written(place))
        yield Rivals(lambda: what(run()), lambda: what(spent((sys.executable, "-c", JSON_LOAD, file))))

    return opened


def _row(name: str, says: str, made: Callable[[Place], Callable[[], Spent]], unit: Unit) -> Row:
    what: Callable[[Spent], float] = (lambda it: it.seconds) if unit == "s" else (lambda it: it.megabytes)
    return Row(name, says, "json.load", beside_json(made, what), unit=unit, shapes=SHAPES)


ROWS = (
    _row("import", "loomapp import, its processor time", importing, "s"),
    _row("import memory", "… and the most it had", importing, "MB"),
    _row("verify", "loomapp verify, its processor time", looking("verify"), "s"),
    _row("verify memory", "… and the most it had", looking("verify"), "MB"),
    _row("check", "loomapp check, its processor time", looking("check"), "s"),
    _row("check memory", "… and the most it had", looking("check"), "MB"),
)  # fmt: skip
