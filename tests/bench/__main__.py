"""The bench: ours beside floors and rivals, in one run; nothing is asserted.

    python -m tests.bench                                   every row at its own sizes
    python -m tests.bench G7 G8 --nodes 1000,100000         some rows, at these sizes
    python -m tests.bench G12 --json FILE                   also as JSON

Needs a screen (Xvfb will do) for rows with a window. Every row runs in a process of its own, five times in
turn with its floor; medians are printed, with the ratio that its goal speaks of. Ratios hold where times
drift; on a busy machine believe neither.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import sealed_home

SCREEN = ("DISPLAY", "QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "XAUTHORITY")
kept = {name: os.environ[name] for name in SCREEN if name in os.environ}
sealed_home.seal()  # the bench opens groves and writes settings: not the user's own
os.environ.update(kept or {"QT_QPA_PLATFORM": "offscreen"})

from tests.bench.groves import SHAPES, Groves, Shape  # noqa: E402
from tests.bench.rows import ROWS  # noqa: E402
from tests.bench.table import Outcome, Place, as_json, as_lines, machine, measured, measured_apart, plan  # noqa: E402


def main() -> int:
    """One run."""
    if sys.argv[1:2] == ["--alone"]:
        name, kind, size, place = sys.argv[2:]
        return measure_alone(name, _shape(kind), int(size), Path(place))
    parser = argparse.ArgumentParser("python -m tests.bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--nodes", default="", help="sizes of the trees, with commas")
    parser.add_argument("--shapes", default="", help=f"of {', '.join(SHAPES)}, with commas")
    parser.add_argument("--limit", type=float, default=1200.0, help="seconds for one row at one size")
    parser.add_argument("--json", type=Path, help="write the table there too")
    asked = parser.parse_args()
    chosen = [row for name, row in ROWS.items() if not asked.names or name.split()[0] in asked.names]
    if not chosen:
        parser.error(f"no such row; there are {', '.join(ROWS)}")
    shapes = tuple(filter(None, asked.shapes.split(",")))
    sizes = [int(size) for size in asked.nodes.split(",") if size]
    print(machine())
    found: list[Outcome] = []
    with TemporaryDirectory(prefix="loom-bench-") as folder:
        for row in chosen:
            for shape, nodes in plan(row, sizes):
                if not shapes or shape in shapes:
                    one = measured_apart(row, shape, nodes, Path(folder), limit_s=asked.limit)
                    print(as_lines([one])[1], flush=True)
                    found.append(one)
    print("\n" + "\n".join(as_lines(found)))
    if asked.json:
        asked.json.write_text(as_json(found))
    return 0


def _shape(name: str) -> Shape:
    return next(shape for shape in SHAPES if shape == name)


def measure_alone(name: str, shape: Shape, nodes: int, folder: Path) -> int:
    """One row on one tree, in this process; says the outcome as a line of JSON and ends at once."""
    one = measured(ROWS[name], Place(shape, nodes, Groves(folder)))
    print(json.dumps(asdict(one)), flush=True)
    os._exit(0)  # taking a scene of 100,000 items apart is nobody's time


if __name__ == "__main__":
    sys.exit(main())
