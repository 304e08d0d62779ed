"""What folding hides and how much that is."""

from __future__ import annotations

import numpy as np

from loomapp.core.layout.layout import Shape, Shown, shown


def folded(parents: list[int], *, folded: tuple[int, ...], views: tuple[int, ...]) -> Shown:
    none = np.zeros(len(parents), bool)
    sizes = np.ones(len(parents), np.float32)
    return shown(Shape(np.array(parents), sizes, none, none, ~none, folded, views=views))


def test_a_fold_counts_the_nodes_it_hides_and_hides_the_views_among_them_too() -> None:
    found = folded([-1, 0, 1, 1, 3], folded=(1,), views=(4,))

    assert found.folded == {1: 2}
    assert found.flags.tolist() == [True, True, False, False, False]


def test_a_fold_over_nothing_but_views_hides_nothing() -> None:
    found = folded([-1, 0, 1], folded=(1,), views=(2,))

    assert found.folded == {}
    assert found.flags.all()
