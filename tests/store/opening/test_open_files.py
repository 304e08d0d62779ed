"""A second look at an open grove leaves the locks alone, so that no other program takes its -wal away."""

from __future__ import annotations

import gc
from pathlib import Path

from loomapp import files
from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.files import is_open_here
from loomapp.store.backups.backup import back_up
from loomapp.store.connections import connect
from loomapp.store.grove.open import create_grove, read_grove
from loomapp.store.identity import new_id, now
from tests.kit.processes.outside import loomapp


def test_what_is_written_after_a_backup_is_seen_by_others(tmp_path: Path) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        tree = tree_edits.new_tree("dialogue", "t", edit_context.EditContext(grove.owner.id, now(), new_id))
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)

        back_up(path)
        with read_grove(path) as second:
            assert second.trees()
        loomapp("trees", "--grove", path)  # comes and goes; it must not believe to be the last
        change = node_edits.add_node(
            tree, tree.root_id, "Still here.", edit_context.EditContext(grove.owner.id, now(), new_id)
        )
        grove.commit(tree, change)

        assert "Still here." in loomapp("show", change.added_nodes()[0].id, "--grove", path)

    with read_grove(path) as again:
        assert change.added_nodes()[0].id in again.load_tree(tree.loom.id).nodes
    assert not is_open_here(path)


def test_a_connection_that_is_forgotten_in_the_middle_of_a_count_waits_for_nobody(tmp_path: Path) -> None:
    path = tmp_path / "g.loom"
    create_grove(path).close()
    connection = connect(path)

    with files._lock:  # as where the collector of garbage runs between two lines of it
        del connection
        gc.collect()

    assert not is_open_here(path)
