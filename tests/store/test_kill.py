"""kill -9 in the middle of writing: what was said to be saved is there, and nothing is half there."""

from __future__ import annotations

import random
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

from loomapp.store.grove import create_grove, open_grove
from loomapp.store.verification import verify_tree
from tests.core.trees import Hand
from tests.store.groves import planted
from tests.store.programs import program

KILLS = 10


def test_what_was_said_to_be_saved_survives_ten_kills(path: Path) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with create_grove(path) as grove:
        tree_id = planted(grove, Hand())[0].loom.id
    saved: list[str] = []

    for _ in range(KILLS):
        with program("write_forever", str(path), tree_id) as writer:
            assert writer.stdout is not None
            saved += [writer.stdout.readline().strip() for _ in range(chance.randrange(1, 20))]
            # The writer is now anywhere between this commit and some later one.
            writer.send_signal(signal.SIGKILL)
            saved += [line.strip() for line in writer.stdout if line.endswith("\n")]

        with open_grove(path) as grove:
            tree = grove.load_tree(tree_id)
            assert set(saved) <= set(tree.nodes)
            assert tree.path.leaf_id == next(reversed(tree.nodes))
            assert {finding.verdict for finding in verify_tree(grove, tree_id)} == {"ok"}

    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
