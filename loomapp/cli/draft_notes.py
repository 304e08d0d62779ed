"""Draft notes: what a window has written and not saved is in nothing that is read here, and that is said."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from loomapp.cli.output import tell
from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.store.files import drafts
from loomapp.store.files.drafts import DraftRow, Kind, drafts_folder
from loomapp.store.grove.grove import Grove

WRITTEN: frozenset[Kind] = frozenset({"composer", "behind", "edit", "note"})


def tell_of_drafts(grove: Grove) -> None:
    """Say on the standard error which trees have drafts, and how many; nothing if none has."""
    counts = _counts(grove.path)
    if not counts:
        return
    titles = {row.id: row.title for row in grove.trees()}
    for tree_id, count in counts.items():
        if tree_id in titles:
            tell(worded(_sentence(count), count=count, title=titles[tree_id]))


def _sentence(count: int) -> str:
    if count == 1:
        return "“{title}” has a draft: words that are not sent or saved yet. They are not in this."
    return "“{title}” has {count} drafts: words that are not sent or saved yet. They are not in this."


def _counts(grove: Path) -> Mapping[str, int]:
    """Return how many drafts each tree has. Where they cannot be read there is nothing to say."""
    counts: dict[str, int] = {}
    with suppress(GroveError):
        for row in drafts.read(drafts_folder(grove)):
            if row.slot.kind in WRITTEN and _has_words(row):
                counts[row.slot.tree_id] = counts.get(row.slot.tree_id, 0) + 1
    return counts


def _has_words(row: DraftRow) -> bool:
    text, attached = row.body.get("text"), row.body.get("attached")
    return (isinstance(text, str) and bool(text.strip())) or attached is not None
