"""Drafts of a grove that lie under another name, as it was renamed, moved or replaced since then."""

from __future__ import annotations

import os
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

from loomapp.core.errors import GroveError
from loomapp.session.lifetime.grove_lock import is_held
from loomapp.store.files import displaced_groves, draft_folders, drafts
from loomapp.store.files.draft_claims import is_claimed
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.other_files import tree_ids_in


def adopt_drafts(grove: Grove) -> None:
    """Bring the drafts of this grove's trees under its name, where the journal looks for them.

    They are taken from folders whose own grove is gone, or has not such a tree, and copied from under the
    name that this grove had when it was moved while it was open: there it goes on as well. What a window or
    a command line still writes is left to it, and so is what is here under the same slot already.
    """
    if grove.read_only:
        return
    own, trees = drafts.drafts_folder(grove.path), {row.id for row in grove.known_trees()}
    for folder in draft_folders.other_folders(own):
        if not is_held(draft_folders.grove_of(folder)):
            with suppress(GroveError):  # what cannot be read or written stays where it is, for the next start
                _adopt_from(folder, own, trees)
    for displaced in displaced_groves.displaced_groves():
        is_here = displaced.moved is not None and _is_same(displaced.moved, grove.path)
        if is_here and displaced.has_drafts and not is_held(displaced.grove):
            with suppress(GroveError):
                _copy(drafts.drafts_folder(displaced.grove), own, trees)
                displaced_groves.without_drafts(displaced)


def _adopt_from(folder: Path, own: Path, trees: Container[str]) -> None:
    rows = [row for row in drafts.read(folder) if row.slot.tree_id in trees]
    theirs = tree_ids_in(draft_folders.grove_of(folder)) if rows else frozenset()
    for row in rows:
        if row.slot.tree_id in theirs or (own / row.slot.file_name).exists():
            continue
        if not is_claimed(folder, row.slot):
            drafts.keep(own, row)
            drafts.forget(folder, row.slot)


def _copy(folder: Path, own: Path, trees: Container[str]) -> None:
    for row in drafts.read(folder):
        is_ours = row.slot.tree_id in trees and not is_claimed(folder, row.slot)
        if is_ours and not (own / row.slot.file_name).exists():
            drafts.keep(own, row)


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
