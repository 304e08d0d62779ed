"""A clock that is set back costs nothing: what comes later is later."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.store import identity
from loomapp.store.backups.backup import back_up, backups_of
from loomapp.store.checks.check import check
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.queries.steps import read_steps

DAY_NS = 24 * 3600 * 10**9


def test_what_comes_later_is_later_though_the_clock_is_set_back_every_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_790_000_000 * 10**9]
    monkeypatch.setattr("time.time_ns", lambda: clock[0])
    ids: list[str] = []
    with create_grove(path) as grove, open_grove(path) as other:
        tree = tree_edits.new_tree(
            "dialogue", "A tree", edit_context.EditContext(grove.owner.id, identity.now(), identity.new_id)
        )
        grove.add_tree(tree, [grove.owner])
        theirs = other.load_tree(tree.loom.id)
        for number in range(6):
            clock[0] -= DAY_NS
            pen = edit_context.EditContext(grove.owner.id, identity.now(), identity.new_id)
            change = node_edits.add_node(tree, tree.path.leaf_id, f"message {number}", pen)
            grove.commit(tree, change)
            ids.append(change.added_nodes()[0].id)
            back_up(path)

        other.catch_up(theirs)
        shown = [step.sequence for step in read_steps(grove, tree.loom.id).steps]

        assert ids == sorted(ids)
        assert list(tree.nodes)[1:] == list(theirs.nodes)[1:] == ids
        assert shown == sorted(shown, reverse=True)
        assert grove.undo(tree) is not None
        assert ids[-1] not in tree.nodes

    numbers = [backup.number for backup in backups_of(path)]
    assert numbers == sorted(numbers, reverse=True)
    with open_grove(backups_of(path)[0].path) as newest:
        assert ids[-1] in newest.load_tree(tree.loom.id).nodes  # the newest backup is the last one made
    assert check(path).problems == ()
