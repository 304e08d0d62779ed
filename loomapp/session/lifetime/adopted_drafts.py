"""Drafts of a grove that lie under another name, brought under its own when it is opened."""

from __future__ import annotations

from contextlib import suppress

from loomapp.core.errors import GroveError
from loomapp.session.lifetime.grove_lock import is_held
from loomapp.store.files import displaced_groves, draft_folders, drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.drafts_elsewhere import left_in, moved_here, unclaimed_in
from loomapp.store.grove.grove import Grove


def adopt_drafts(grove: Grove) -> None:
    """Bring the drafts of this grove's trees under its name, where the journal looks for them.

    They are taken from folders whose own grove is gone, or has not such a tree, and copied from under the
    name that this grove had when it was moved while it was open: there it goes on as well. What a window or
    a command line still writes is left to it, and so is what is here under the same slot already.
    """
    if grove.read_only:
        return
    own, trees = drafts_folder(grove.path), {row.id for row in grove.known_trees()}
    for folder in draft_folders.other_folders(own):
        if not is_held(draft_folders.grove_of(folder)):
            with suppress(GroveError):  # what cannot be read or written stays where it is, for the next start
                for row in left_in(folder, grove.path, trees):
                    drafts.keep(own, row)
                    drafts.forget(folder, row.slot)
    for displaced in moved_here(grove.path):
        if not is_held(displaced.grove):
            with suppress(GroveError):
                for row in unclaimed_in(drafts_folder(displaced.grove), grove.path, trees):
                    drafts.keep(own, row)
                displaced_groves.without_drafts(displaced)
