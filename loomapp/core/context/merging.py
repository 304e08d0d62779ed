"""Merging: which messages of a path go out as one, since no two neighbours that are sent are of one role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loomapp.core.context.messages import ROLES
from loomapp.core.tree import Tree

REACH = 200  # messages that are looked back over; so many left out in a row are not worth the time of a frame


def merged_with(tree: Tree, node_ids: Sequence[str], place: int, fates: Mapping[str, str]) -> str | None:
    """The message before on a path with which the one at a place is sent as one; None if there is none.

    `node_ids` are the path. What was left out between them is no obstacle; a gap for want of room is one, and
    so is a source or a note of the other role that is sent between them. Only for Dialogue.
    """
    node = tree.nodes[node_ids[place]]
    role = ROLES[node.author_type]
    if fates.get(node.id) != "sent":
        return None
    onward = tree.incoming(node_ids[place + 1]) if place + 1 < len(node_ids) else ()
    sources = (i for edge in onward for i in edge.with_role("context"))  # they stand before their primary
    if role != "user" and any(fates.get(source) == "sent" for source in sources):
        return None
    for before in node_ids[max(0, place - REACH) : place][::-1]:
        notes = (tree.nodes[i] for i in tree.notes(before) if fates.get(i) == "sent" and i in tree.nodes)
        if any(ROLES[note.author_type] != role for note in notes):
            return None
        fate = fates.get(before)
        if fate in ("sent", "truncated", None):
            same = fate == "sent" and ROLES[tree.nodes[before].author_type] == role
            return before if same else None
    return None


def merged_over_gap(
    tree: Tree, node_ids: Sequence[str], gap: int, place: int, fates: Mapping[str, str]
) -> str | None:
    """The message before a gap for want of room with which the one behind it is sent as one; or None.

    `gap` and `place` are where the gap begins and ends on the path. The marker that stands in it is said by
    the user, so both ends must be, too. Only for Dialogue, and a strategy that leaves a marker.
    """
    if gap == 0:
        return None
    before, behind = node_ids[gap - 1], node_ids[place]
    notes = [i for i in tree.notes(before) if fates.get(i) == "sent" and i in tree.nodes]
    said = [tree.nodes[i].author_type for i in (before, *notes, behind)]
    sent = fates.get(before) == fates.get(behind) == "sent"
    return before if sent and all(ROLES[author] == "user" for author in said) else None
