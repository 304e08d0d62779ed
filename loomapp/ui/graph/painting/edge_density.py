"""Haze: which edges are drawn where one card has more of them than can be told apart."""

from __future__ import annotations

import numpy as np

from loomapp.core.layout.arrays import Ints
from loomapp.ui.graph.scene.references import ReferenceLines
from loomapp.ui.graph.scene.scene import Scene

MOST_PASSING = 60  # edges from one card that only pass by, in a frame
MOST_LINES = 200  # references in a frame


def thinned_lines(
    scene: Scene, lines: ReferenceLines, rows: Ints, hovered: int | None = None
) -> ReferenceLines:
    """The references to draw: those of the current and the hovered card, and those of cards in sight; of very
    many enough for their haze. What only passes by is left to the line that it is part of.
    """
    if not len(lines.kinds):  # in most trees there are none
        return lines
    count = len(scene.index)
    meant, seen = np.zeros(count, bool), np.zeros(count, bool)
    current = scene.row_of(scene.current) if scene.current else None
    meant[[row for row in (current, hovered) if row is not None and row < count]] = True
    seen[rows] = True
    first = np.flatnonzero(lines.touching(meant))[:MOST_LINES]
    others = np.flatnonzero(lines.touching(seen) & ~lines.touching(meant))
    others = others[:: len(others) // MOST_LINES + 1]
    return lines.chosen(np.sort(np.concatenate((first, others))))


def thinned(scene: Scene, links: Ints, rows: Ints) -> Ints:
    """The edges to draw: all that lead to cards in sight or along the path; of very many that only pass by on
    their way from one card, enough for their haze.
    """
    if len(links) <= MOST_PASSING:
        return links
    wanted = np.zeros(len(scene.index), bool)
    wanted[rows] = wanted[scene.path_rows()] = True
    passing = links[~wanted[links]]
    parents = scene.index.growth.parents[passing]
    first = np.flatnonzero(np.diff(parents, prepend=-1))
    counts = np.diff(first, append=len(parents))
    number = np.arange(len(parents)) - np.repeat(first, counts)
    kept = passing[number % np.repeat(counts // MOST_PASSING + 1, counts) == 0]
    return links if len(kept) == len(passing) else np.sort(np.concatenate((links[wanted[links]], kept)))
