"""A disk that takes no more: nothing is lost or half saved, and trying again works."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loomapp.core import edits
from loomapp.core.errors import GroveError
from loomapp.store.grove import Grove, create_grove
from tests.core.trees import Hand
from tests.store.groves import agree, everything, planted


@contextmanager
def no_file_may_grow_beyond(size: int) -> Iterator[None]:
    """As the kernel enforces it; Python ignores the signal, so writes fail."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_commit_that_finds_no_room_changes_nothing_and_can_be_tried_again(grove: Grove, path: Path) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    before = everything(tree)
    change = edits.add_node(tree, ids[-1], "x" * 1_000_000, hand.pen())
    size = max(file.stat().st_size for file in path.parent.iterdir())

    with no_file_may_grow_beyond(size + 50_000), pytest.raises(GroveError, match="disk") as error:
        grove.commit(tree, change)

    assert error.value.code in {"full", "ioError"}
    assert everything(tree) == before
    assert agree(grove, tree)
    grove.commit(tree, change)
    assert agree(grove, tree)


def test_a_grove_that_finds_no_room_is_not_made(path: Path) -> None:
    with no_file_may_grow_beyond(20_000), pytest.raises(GroveError, match="disk"):
        create_grove(path)

    assert list(path.parent.iterdir()) == []
