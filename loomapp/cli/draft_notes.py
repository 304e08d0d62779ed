"""Draft notes: what a window has written and not saved is in nothing that is read here, and that is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from contextlib import suppress
from pathlib import Path

from loomapp.cli.output import tell
from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.store.files import draft_folders, drafts
from loomapp.store.files.drafts import DraftRow, Kind, drafts_folder
from loomapp.store.grove.drafts_elsewhere import drafts_elsewhere
from loomapp.store.grove.grove import Grove

ELSEWHERE = (
    "{words} They are kept in {folder}, under the name that the grove had before; the window brings them "
    "along when it opens it."
)
WRITTEN: frozenset[Kind] = frozenset({"composer", "behind", "edit", "note"})


def tell_of_drafts(grove: Grove) -> None:
    """Say on the standard error which trees have drafts, and how many, here and under a name that the grove
    had before; nothing if none has.
    """
    counts = _counts(grove.path)
    if not counts and not any(True for _ in draft_folders.other_folders(drafts_folder(grove.path))):
        return  # the usual case, in which no tree is read
    titles = {row.id: row.title for row in grove.trees()}
    for tree_id, count in counts.items():
        if tree_id in titles:
            tell(worded(_sentence(count), count=count, title=titles[tree_id]))
    for (folder, tree_id), count in _counts_elsewhere(grove.path, titles).items():
        words = worded(_sentence(count), count=count, title=titles[tree_id])
        tell(worded(ELSEWHERE, words=words, folder=folder))


def _sentence(count: int) -> str:
    if count == 1:
        return "“{title}” has a draft: words that are not sent or saved yet. They are not in this."
    return "“{title}” has {count} drafts: words that are not sent or saved yet. They are not in this."


def _counts(grove: Path) -> Mapping[str, int]:
    """Return how many drafts each tree has. Where they cannot be read there is nothing to say."""
    counts: dict[str, int] = {}
    with suppress(GroveError):
        for row in drafts.read(drafts_folder(grove)):
            if _has_words(row):
                counts[row.slot.tree_id] = counts.get(row.slot.tree_id, 0) + 1
    return counts


def _counts_elsewhere(grove: Path, trees: Container[str]) -> Mapping[tuple[Path, str], int]:
    """Return the same by the folder of another name, and answers that were cut short with them."""
    found = drafts_elsewhere(grove, trees)
    return Counter((folder, row.slot.tree_id) for folder, row in found if _has_words(row) or _is_answer(row))


def _has_words(row: DraftRow) -> bool:
    if row.slot.kind not in WRITTEN:
        return False
    text, attached = row.body.get("text"), row.body.get("attached")
    return (isinstance(text, str) and bool(text.strip())) or attached is not None


def _is_answer(row: DraftRow) -> bool:
    drafts_of_run = row.body.get("drafts")
    return row.slot.kind == "run" and bool(drafts_of_run)
