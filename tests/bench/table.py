"""The bench's table: what a row is, how ours and its floor are run in turn, and how it is printed."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from tests.bench.groves import Groves, Shape

RUNS = 5
Measure: TypeAlias = Callable[[], float]  # one run, in the row's unit
Unit: TypeAlias = Literal["ms", "ms a card", "bytes a node", "% of a core", "s", "errors"]


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


@dataclass(frozen=True, slots=True)
class Rivals:
    """Ours and what it is measured against, each run once by a call."""

    ours: Measure
    floor: Measure


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. `open` makes both rivals ready; what it does is not measured.

    `nodes` are the sizes that it is measured at where none were asked for, at most the last otherwise.
    """

    name: str
    says: str
    floor: str  # what the floor is
    open: Callable[[Place], AbstractContextManager[Rivals]]
    goal: Goal | None = None
    unit: Unit = "ms"
    shapes: tuple[Shape, ...] = ("bushy",)
    nodes: tuple[int, ...] = (100_000,)
    sized: bool = True  # False: always at `nodes`, whatever was asked for


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
        for _ in range(place.runs):
            floor.append(rivals.floor())
            ours.append(rivals.ours())
    return outcome(row, place, statistics.median(ours), statistics.median(floor))


def outcome(row: Row, place: Place, ours: float, floor: float) -> Outcome:
    """What two medians say of a row's goal."""
    faster = row.goal is not None and not row.goal.at_most
    below, above = (ours, floor) if faster else (floor, ours)
    ratio = above / below if below else float("inf")
    is_asked = row.goal is not None and place.nodes >= row.goal.nodes
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


def measured_apart(row: Row, shape: Shape, nodes: int, folder: Path, *, limit_s: float) -> Outcome:
    """Measure a row in a process of its own, which nothing measured before has warmed or filled."""
    command = [sys.executable, "-m", "tests.bench", "--alone", row.name, shape, str(nodes), str(folder)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit_s, cwd=Path(__file__).parents[2]
        )
    except subprocess.TimeoutExpired:
        return failed(row, shape, nodes, f"not done in {limit_s:g} s")
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        said = done.stderr.strip().splitlines()
        return failed(row, shape, nodes, said[-1] if said else f"ended with {done.returncode}")
    return Outcome(**json.loads(lines[-1]))


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
    values = [f"{value:,.4g}" if value < 1000 else f"{value:,.0f}" for value in (it.ours, it.floor, it.ratio)]
    tree = f"{it.nodes:,} {it.shape}"
    ours = f"{values[0]} {it.unit}"
    return (it.name, it.says, tree, ours, values[1], it.floor_is, it.goal, values[2], it.verdict)


def as_json(outcomes: Iterable[Outcome]) -> str:
    """The table for programs."""
    return json.dumps({"machine": machine(), "runs": RUNS, "rows": [asdict(it) for it in outcomes]}, indent=1)
