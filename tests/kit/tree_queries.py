"""What trees are asked while a test looks: cost that a clock would tell by chance only."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loomapp.core.model.tree import Tree


def asked_of_trees(monkeypatch: pytest.MonkeyPatch, *questions: str) -> list[str]:
    """The nodes that trees are asked about from now on, by methods that take the id of one."""
    asked: list[str] = []

    def noting(answer: Callable[[Tree, str], object]) -> Callable[[Tree, str], object]:
        def ask(tree: Tree, node_id: str) -> object:
            asked.append(node_id)
            return answer(tree, node_id)

        return ask

    for question in questions:
        monkeypatch.setattr(Tree, question, noting(getattr(Tree, question)))
    return asked
