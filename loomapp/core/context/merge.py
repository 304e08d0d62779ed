"""Merging: which messages of a path go out as one, since no two neighbours that are sent are of one role."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loomapp.core.context.assembly import Assembled


def merged_with(assembled: Assembled, node_id: str) -> str | None:
    """The message before on the path with which one is sent as one; None if it begins a message of its own,
    is not sent or not on the path.

    Told from the parts as they go out, so that whatever is sent between the two counts: sources, notes and
    the marker, wherever they come from. Only in Dialogue are there messages.
    """
    placed, fitted = assembled.placed, assembled.fitted
    own = placed.first_part(node_id)
    if assembled.mode == "buffer" or own is None or node_id not in placed.path or own in fitted.gap:
        return None
    roles, node_ids = fitted.passages.roles, fitted.passages.node_ids
    role = roles[own]
    is_behind = own >= fitted.tail.start
    between = range(fitted.tail.start if is_behind else 0, own)[::-1]
    beyond = fitted.head[::-1] if is_behind else range(0)
    for index in chain(between, (None,) if is_behind and fitted.marker is not None else (), beyond):
        if index is None:
            if role != "user":  # the marker is the user's
                return None
            continue
        if roles[index] != role:
            return None
        before = node_ids[index]
        if before is not None and before in placed.path:
            return before
    return None
