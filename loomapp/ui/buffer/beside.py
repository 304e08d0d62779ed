"""What stands beside the passages in view: looked up for these only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loomapp.core import paths, variants
from loomapp.ui.buffer.margins import Beside
from loomapp.ui.buffer.view import BufferView
from loomapp.ui.look import theme

if TYPE_CHECKING:
    from loomapp.ui.buffer.desk import BufferDesk

TAIL = "tail"
NOT_SENT = ("truncated", "excluded", "pruned", "refused")


def beside_in_view(desk: BufferDesk, view: BufferView) -> Iterator[Beside]:
    """Of each passage in view its siblings, versions and signs; last what stands after the end."""
    if not desk.is_on:
        return  # another tree is about to be shown
    manuscript, tree = desk.manuscript, desk.window.document.tree
    fates = desk.fates
    drafts = desk.window.generator.drafts(tree.loom.id)
    for passage in manuscript.passages(*view.editor.in_view()):
        node_id = passage.node_id
        if node_id is None:
            if passage.start < passage.end:
                tint = theme.colour("agent.human")
                yield Beside("", passage.start, passage.end, tint, hollow=False)
            continue
        node = tree.nodes.get(node_id)
        if node is None or (passage.start == passage.end and tree.is_empty_root(node_id)):
            continue
        turn = manuscript.siblings(passage.place)
        versions = manuscript.versions(passage.place)
        above = manuscript.node_ids[passage.place - 1] if passage.place else ""
        streaming = sum(live.parent_id == above for live in drafts)
        yield Beside(
            node_id,
            passage.start,
            passage.end,
            view.colouring.tint_of(passage),
            number=turn.index + 1,
            count=turn.count + streaming,
            version=versions.index(node_id) + 1 if node_id in versions else 1,
            versions=len(versions),
            dashed=fates.get(node_id) in NOT_SENT,
            interrupted="" if node.interrupted is None else node.interrupted.reason,
            bookmarked=node.metadata.bookmarked,
        )
    shown = desk.tail.shown
    if shown is not None:
        offers = desk.tail.offers
        others = [] if desk.tail.is_ghost else paths_on(desk, {offer.key for offer in offers})
        agent = desk.window.document.agents().get(shown.agent_id or "")
        yield Beside(
            TAIL,
            len(view.editor.text),
            len(view.editor.text),
            theme.colour(theme.agent_role(agent)),
            number=len(others) + desk.tail.index + 1,
            count=len(others) + len(offers),
            hollow=desk.tail.is_ghost,
            is_tail=True,
        )
    elif manuscript.passage(len(manuscript) - 1).end == len(view.editor.text) and (
        more := paths_on(desk, set())
    ):
        end = len(view.editor.text)  # the path ends here, the text could go on
        yield Beside(TAIL, end, end, theme.colour("border.strong"), number=0, count=len(more), is_tail=True)


def paths_on(desk: BufferDesk, but: set[str]) -> list[str]:
    """The ways on from the end of the path, one living node each, older than what streams there."""
    document = desk.window.document
    return [i for i in variants.ways_on(document.tree, document.path_ids[-1]) if i not in but]


def siblings_of(desk: BufferDesk, node_id: str) -> tuple[str, ...]:
    """The other ways on beside a passage of the path, one node each, it among them."""
    place = desk.manuscript.place_of(node_id)
    if place is None:
        return paths.living_siblings(desk.window.document.tree, node_id)
    return desk.manuscript.siblings(place).node_ids
