"""Haze: which edges are drawn where one card has more of them than can be told apart."""

from __future__ import annotations

import numpy as np

from loomapp.core.layout import Ints
from loomapp.ui.graph.scene import Scene

MOST_PASSING = 60  # edges from one card that only pass by, in a frame


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
