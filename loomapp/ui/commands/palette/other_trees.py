"""The other trees of the grove in the palette: their bookmarks and texts as entries that say which tree."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.progress import Progress
from loomapp.core.text.query import SearchHit
from loomapp.store.queries.search import look_elsewhere
from loomapp.ui.palette.entries import BOOKMARK_PLACE, LOOSE_PLACE, PaletteEntry, best, marked, place_of_text
from loomapp.ui.palette.text_search import Look
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench


def look(bench: Workbench) -> Look:
    """Return the search of other trees; it knows nothing of the window, and works on any thread."""
    grove, tree_id, pruned = (
        bench.work.document.grove,
        bench.work.document.tree.loom.id,
        bench.display.is_showing_pruned,
    )
    mark, untitled = tr("bookmark"), tr("Untitled")

    def work(query: str, progress: Progress) -> tuple[list[PaletteEntry], bool]:
        found = look_elsewhere(grove, query, tree_id, progress, pruned=pruned)
        bookmarks = [_bookmark(hit, f"{mark} · {_title(hit, untitled)}") for hit in found.bookmarks]
        texts = [marked(_text(hit, _title(hit, untitled)), query) for hit in found.texts]
        return [*(_placed(entry, query) for entry in best(bookmarks, query)), *texts], found.has_more

    return work


def _title(hit: SearchHit, untitled: str) -> str:
    return " ".join(hit.tree_title.split()) or untitled


def _bookmark(hit: SearchHit, where: str) -> PaletteEntry:
    return PaletteEntry("bookmark", hit.node_id, hit.excerpt, where, "bookmark", tree=hit.tree_id)


def _text(hit: SearchHit, where: str) -> PaletteEntry:
    place = place_of_text(hit.standing, is_elsewhere=True)
    return PaletteEntry("node", hit.node_id, hit.excerpt, where, "file-text", tree=hit.tree_id, place=place)


def _placed(bookmark: PaletteEntry, query: str) -> PaletteEntry:
    is_told = " ".join(query.casefold().split()) in bookmark.title.casefold()
    return replace(bookmark, place=BOOKMARK_PLACE if is_told else LOOSE_PLACE)
