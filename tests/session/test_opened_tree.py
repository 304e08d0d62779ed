"""What a tree is looked through for before it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.core.model import creation_order
from loomapp.session.open_tree import looked_through
from loomapp.store.grove.open import create_grove
from tests.bench.groves import BRIEF, grown


def test_the_many_children_of_a_node_on_the_path_are_known_before_it_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = grown("wide", creation_order.MANY + 2, words=BRIEF)
    with create_grove(tmp_path / "g.loom") as grove:
        grove.add_tree(tree, [grove.owner])
        reading = grove.reading(tree.loom.id)
        assert reading is not None
        opened = looked_through(reading.read())
    monkeypatch.delattr(creation_order, "ChildList")

    assert len(opened.tree.living_children(opened.tree.root_id)) == creation_order.MANY + 1
