"""The bench: ours beside floors and rivals, in one run; nothing is asserted.

    python -m tests.bench --json FILE --markdown FILE       the goals, at their own sizes: some twelve minutes
    python -m tests.bench everything                        quitting, journal and backups too
    python -m tests.bench formats                           100 MB of every JSON format: most of an hour
    python -m tests.bench G7 G8 --nodes 1000,100000         some rows, at these sizes

Needs a screen (Xvfb will do) for rows with a window, and 8 GB of memory for a million nodes. Rows run in a
process of their own, those of the graph in one for each tree, five times in turn with their floors (three
times, where that takes long); medians are printed, with the ratio that a goal speaks of. Ratios hold where
times drift; on a busy machine believe neither.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.kit.processes import sealed_home

SCREEN = ("DISPLAY", "QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "XAUTHORITY")
kept = {name: os.environ[name] for name in SCREEN if name in os.environ}
sealed_home.seal()  # the bench opens groves and writes settings: not the user's own
os.environ.update(kept or {"QT_QPA_PLATFORM": "offscreen"})

from tests.bench.groves import SHAPES, Groves, Shape  # noqa: E402
from tests.bench.rows import ROWS  # noqa: E402
from tests.bench.table import (  # noqa: E402
    Outcome,
    Place,
    as_json,
    as_lines,
    as_markdown,
    batches,
    failed,
    machine,
    measured,
    measured_apart,
)


def main() -> int:
    """One run."""
    if sys.argv[1:2] == ["--alone"]:
        names, kind, size, place = sys.argv[2:]
        return measure_alone(names.split(","), _shape(kind), int(size), Path(place))
    parser = argparse.ArgumentParser("python -m tests.bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; everything")
    parser.add_argument("--nodes", default="", help="sizes of the trees, with commas")
    parser.add_argument("--shapes", default="", help=f"of {', '.join(SHAPES)}, with commas")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one row at one size")
    parser.add_argument("--json", type=Path, help="write the table there too")
    parser.add_argument("--markdown", type=Path, help="likewise, to be read")
    asked = parser.parse_args()
    chosen = [row for name, row in ROWS.items() if _is_asked(name, asked.names)]
    if not chosen:
        parser.error(f"no such row; there are {', '.join(ROWS)}")
    shapes = tuple(filter(None, asked.shapes.split(",")))
    sizes = [int(size) for size in asked.nodes.split(",") if size]
    print(machine(), flush=True)
    found: list[Outcome] = []
    with TemporaryDirectory(prefix="loom-bench-") as folder:
        for (shape, nodes, _), rows in batches(chosen, sizes).items():
            if shapes and shape not in shapes:
                continue
            for one in measured_apart(rows, shape, nodes, Path(folder), limit_s=asked.limit):
                print(as_lines([one])[1], flush=True)
                found.append(one)
    order = list(ROWS)
    found.sort(key=lambda one: (order.index(one.name), SHAPES.index(_shape(one.shape)), one.nodes))
    print("\n" + "\n".join(as_lines(found)))
    if asked.json:
        asked.json.write_text(as_json(found))
    if asked.markdown:
        asked.markdown.write_text(as_markdown(found))
    return 0


def _is_asked(name: str, names: list[str]) -> bool:
    if not names:
        return name.startswith("G")
    return "everything" in names or name.split()[0] in names


def _shape(name: str) -> Shape:
    return next(shape for shape in SHAPES if shape == name)


def measure_alone(names: list[str], shape: Shape, nodes: int, folder: Path) -> int:
    """Some rows on one tree, in this process; says each outcome as a line of JSON and ends at once."""
    place = Place(shape, nodes, Groves(folder))
    for name in names:
        try:
            one = measured(ROWS[name], place)
        except Exception as error:  # the other rows can still be measured
            one = failed(ROWS[name], shape, nodes, repr(error))
        print(json.dumps(asdict(one)), flush=True)
        gc.collect()  # what a row leaves is nobody's time
    os._exit(0)  # taking a scene of 100,000 items apart is nobody's time


if __name__ == "__main__":
    sys.exit(main())
