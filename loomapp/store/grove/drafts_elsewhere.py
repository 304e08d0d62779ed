"""Drafts of a grove's trees that lie under another name, as it was renamed, moved or replaced since then."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path

from loomapp.core.errors import GroveError
from loomapp.store.files import displaced_groves, draft_folders, drafts
from loomapp.store.files.displaced_groves import DisplacedGrove
from loomapp.store.files.draft_claims import is_claimed
from loomapp.store.files.drafts import DraftRow, drafts_folder
from loomapp.store.grove.other_files import tree_ids_in


def drafts_elsewhere(grove: Path, trees: Container[str]) -> Iterator[tuple[Path, DraftRow]]:
    """List the drafts of these trees of a grove that lie under other names, each with its folder. What cannot
    be read is passed over.
    """
    for folder in draft_folders.other_folders(drafts_folder(grove)):
        with suppress(GroveError):
            yield from ((folder, row) for row in left_in(folder, grove, trees))
    for displaced in moved_here(grove):
        folder = drafts_folder(displaced.grove)
        with suppress(GroveError):
            yield from ((folder, row) for row in unclaimed_in(folder, grove, trees))


def left_in(folder: Path, grove: Path, trees: Container[str]) -> list[DraftRow]:
    """Return the drafts of these trees in a folder whose own grove is gone, or has not such a tree.

    Raises: GroveError if they, or that grove, cannot be read.
    """
    rows = unclaimed_in(folder, grove, trees)
    theirs = tree_ids_in(draft_folders.grove_of(folder)) if rows else frozenset()
    return [row for row in rows if row.slot.tree_id not in theirs]


def moved_here(grove: Path) -> list[DisplacedGrove]:
    """Return under which names this grove was when it was moved while it was open: there it goes on as well,
    and its drafts were not taken along yet.
    """
    return [
        displaced
        for displaced in displaced_groves.displaced_groves()
        if displaced.has_drafts and displaced.moved is not None and _is_same(displaced.moved, grove)
    ]


def unclaimed_in(folder: Path, grove: Path, trees: Container[str]) -> list[DraftRow]:
    """Return the drafts of these trees in a folder that nobody still writes, and that the grove has not under
    the same slot already. Raises: GroveError.
    """
    own = drafts_folder(grove)
    return [
        row
        for row in drafts.read(folder)
        if row.slot.tree_id in trees
        and not (own / row.slot.file_name).exists()
        and not is_claimed(folder, row.slot)
    ]


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
