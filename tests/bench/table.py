"""The bench's table: what a row is, how ours and its floor are run in turn, and how it is printed."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from loomapp.core.model.tree import Tree
from tests.bench.groves import Groves, Shape, grown

RUNS = 5
LEAST_RUNS, BUDGET_S = 3, 20.0  # after so long a row is not run again, if it was at least so often
Measure: TypeAlias = Callable[[], float]  # one run, in the row's unit
Unit: TypeAlias = Literal["ms", "ms a card", "bytes", "bytes a node", "% of a core", "s", "MB", "errors"]


@dataclass(frozen=True, slots=True)
class Goal:
    """What is wanted of the ratio. `at_most`: ours by the floor; else how many times faster ours is.

    It is asked of trees that have at least so many `nodes`.
    """

    limit: float
    at_most: bool = True
    nodes: int = 0

    def reached_by(self, ratio: float) -> bool:
        """Whether a ratio, read as this goal reads it, is good enough."""
        return ratio <= self.limit if self.at_most else ratio >= self.limit

    def __str__(self) -> str:
        return f"≤ {self.limit:g} ×" if self.at_most else f"≥ {self.limit:,g} × faster"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row is measured: on a tree of a shape and size, with groves to take."""

    shape: Shape
    nodes: int
    groves: Groves
    runs: int = RUNS

    def grove(self) -> Path:
        """A fresh grove with the tree in it."""
        return self.groves.fresh(self.shape, self.nodes)

    def tree(self) -> Tree:
        """The tree in memory, made once for all rows that are measured in this process."""
        return grown_once(self.shape, self.nodes)


@lru_cache(maxsize=1)
def grown_once(shape: Shape, nodes: int) -> Tree:
    """A tree for all rows of this process."""
    return grown(shape, nodes)


@dataclass(frozen=True, slots=True)
class Rivals:
    """Ours and what it is measured against, each run once by a call."""

    ours: Measure
    floor: Measure


Opened: TypeAlias = Callable[[Place], AbstractContextManager[Rivals]]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. `open` makes both rivals ready; what it does is not measured.

    `nodes` are the sizes that it is measured at where none were asked for, at most the last otherwise.
    """

    name: str
    says: str
    floor: str  # what the floor is
    open: Opened
    goal: Goal | None = None
    unit: Unit = "ms"
    shapes: tuple[Shape, ...] = ("bushy",)
    nodes: tuple[int, ...] = (100_000,)
    sized: bool = True  # False: always at `nodes`, whatever was asked for
    together: str = ""  # rows of one name share a process, and the tree that they are measured on
    rival_up_to: int = 0  # nodes; of larger trees the rival takes minutes, so ours stands alone. 0: any


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row measured: medians in its unit, and whether its goal was reached, None without one."""

    name: str
    says: str
    shape: str
    nodes: int
    ours: float
    floor: float
    floor_is: str
    unit: str
    goal: str
    ratio: float
    met: bool | None
    problem: str = ""
    runs: int = RUNS

    @property
    def verdict(self) -> str:
        """As the table says it."""
        if self.problem:
            return f"NOT MET: {self.problem}"
        return {True: "met", False: "NOT MET", None: "—"}[self.met]


def measured(row: Row, place: Place) -> Outcome:
    """Run both in turn, so that a busy moment of the machine meets both; the medians."""
    ours: list[float] = []
    floor: list[float] = []
    with row.open(place) as rivals:
        begun = time.monotonic()
        while len(ours) < place.runs:
            if len(ours) >= LEAST_RUNS and time.monotonic() - begun > BUDGET_S:
                break
            if has_rival(row, place.nodes):
                floor.append(rivals.floor())
            ours.append(rivals.ours())
    rival = statistics.median(floor) if floor else math.nan
    return replace(outcome(row, place, statistics.median(ours), rival), runs=len(ours))


def has_rival(row: Row, nodes: int) -> bool:
    """Whether the rival is run too."""
    return not row.rival_up_to or nodes <= row.rival_up_to


def outcome(row: Row, place: Place, ours: float, floor: float) -> Outcome:
    """What two medians say of a row's goal."""
    faster = row.goal is not None and not row.goal.at_most
    below, above = (ours, floor) if faster else (floor, ours)
    ratio = above / below if below else float("inf")
    is_asked = row.goal is not None and place.nodes >= row.goal.nodes and has_rival(row, place.nodes)
    goal = str(row.goal) if is_asked else ""
    met = row.goal.reached_by(ratio) if row.goal is not None and is_asked else None
    return Outcome(
        row.name, row.says, place.shape, place.nodes, ours, floor, row.floor, row.unit, goal, ratio, met
    )


def failed(row: Row, shape: str, nodes: int, problem: str) -> Outcome:
    """A row that could not be measured stays in the table."""
    goal = "" if row.goal is None else str(row.goal)
    nothing = float("nan")
    return Outcome(
        row.name, row.says, shape, nodes, nothing, nothing, row.floor, row.unit, goal, nothing, False, problem
    )


def plan(row: Row, asked: Iterable[int]) -> Iterator[tuple[Shape, int]]:
    """The trees that a row is measured on."""
    sizes = tuple(asked) if row.sized else ()
    for shape in row.shapes:
        for nodes in sizes or row.nodes:
            yield shape, nodes


def batches(rows: Iterable[Row], asked: Iterable[int]) -> Mapping[tuple[Shape, int, str], Sequence[Row]]:
    """Rows by the tree and the process that they are measured in, smaller trees first."""
    found: dict[tuple[Shape, int, str], list[Row]] = {}
    sizes = tuple(asked)
    for row in rows:
        for shape, nodes in plan(row, sizes):
            found.setdefault((shape, nodes, row.together or row.name), []).append(row)
    return dict(sorted(found.items(), key=lambda item: item[0][1]))


def measured_apart(
    rows: Sequence[Row], shape: Shape, nodes: int, folder: Path, *, limit_s: float
) -> Iterator[Outcome]:
    """Measure rows on one tree in a process of their own, which nothing before has warmed or filled."""
    names = ",".join(row.name for row in rows)
    command = [sys.executable, "-m", "tests.bench", "--alone", names, shape, str(nodes), str(folder)]
    problem, told, limit_s = "", "", limit_s * len(rows)
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit_s * len(rows),
            cwd=Path(__file__).parents[2],
        )
        told, said = done.stdout, done.stderr.strip().splitlines()
        if done.returncode != 0:
            problem = said[-1] if said else f"ended with {done.returncode}"
    except subprocess.TimeoutExpired as error:
        told = error.stdout.decode() if isinstance(error.stdout, bytes) else str(error.stdout or "")
        problem = f"not done in {limit_s:g} s"
    found = {one.name: one for one in (Outcome(**json.loads(line)) for line in told.split("\n") if line)}
    for row in rows:
        yield found.get(row.name) or failed(row, shape, nodes, problem or "nothing was told")


# Printing


def machine() -> str:
    """What the numbers hold for."""
    import PySide6
    import sqlalchemy

    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}, Python"
        f" {platform.python_version()}, PySide6 {PySide6.__version__}, SQLAlchemy {sqlalchemy.__version__}"
    )


HEAD = ("row", "", "tree", "ours", "floor", "", "goal", "ratio", "")


def as_lines(outcomes: Iterable[Outcome]) -> list[str]:
    """The table as text."""
    rows = [HEAD, *(_cells(outcome) for outcome in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return [
        "  ".join(
            cell.rjust(width) if column in (3, 4, 7) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cells(it: Outcome) -> tuple[str, ...]:
    values = [_number(value) for value in (it.ours, it.floor, it.ratio)]
    tree = f"{it.nodes:,} {it.shape}"
    ours = f"{values[0]} {it.unit}"
    return (it.name, it.says, tree, ours, values[1], it.floor_is, it.goal, values[2], it.verdict)


def _number(value: float) -> str:
    if math.isnan(value):
        return "—"
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"


def as_markdown(outcomes: Iterable[Outcome]) -> str:
    """The table for people, with what was not reached named below it."""
    found = list(outcomes)
    title = f"# The bench\n\n{machine()}; medians of {RUNS} runs in turn.\n"
    head = ("row", "what", "tree", "ours", "floor", "which is", "goal", "ratio", "verdict")
    lines = [title, _line(head), _line("---" for _ in head)]
    for it in found:
        cells = list(_cells(it))
        if it.runs < RUNS and not it.problem:
            cells[3] += f" ({it.runs} runs)"
        lines.append(_line(cells))
    missed = [it for it in found if it.met is False]
    lines.append("")
    lines += [f"- NOT MET: {it.name}, {it.nodes:,} {it.shape}: {_missed(it)}" for it in missed]
    return "\n".join(lines) + "\n"


def _missed(it: Outcome) -> str:
    return it.problem or f"{_number(it.ratio)} (goal {it.goal})"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_json(outcomes: Iterable[Outcome]) -> str:
    """The table for programs."""
    return json.dumps({"machine": machine(), "runs": RUNS, "rows": [asdict(it) for it in outcomes]}, indent=1)
