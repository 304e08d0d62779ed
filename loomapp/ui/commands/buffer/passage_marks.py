"""Marks beside passages: siblings and versions of those in view; lines where the context begins or ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.outcomes import NO_ROOM, Fates
from loomapp.core.model.tree import Tree
from loomapp.core.paths import siblings
from loomapp.core.paths.path import common_length
from loomapp.core.prose.buffer_text import BufferText
from loomapp.session.workspace import Workspace
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.buffer.margin.marks import CutLine, MarginMarks
from loomapp.ui.look import theme
from loomapp.ui.strings import tr

TAIL = "tail"
NOT_SENT = ("truncated", "excluded", "pruned", "refused")


class Choices(NamedTuple):
    """Alternatives in the place of a passage and which of them is read, as numbers from 1."""

    way: int
    ways: int
    version: int
    versions: int


class KnownChoices:
    """Cache of the alternatives of each passage, made anew when the tree or the path changes: not with every
    key, for there may be a thousand passages in view.
    """

    def __init__(self) -> None:
        self._tree: Tree | None = None
        self._mark = -1
        self._way: tuple[str, ...] = ()
        self._known: dict[int, Choices] = {}

    def follow(self, tree: Tree, buffer_text: BufferText) -> None:
        """Follow this path from now on."""
        mark, way = tree.touches.mark, buffer_text.node_ids
        if tree is not self._tree or mark != self._mark or way is not self._way:
            self._tree, self._mark, self._way = tree, mark, way
            self._known.clear()

    def at(self, buffer_text: BufferText, place: int) -> Choices:
        found = self._known.get(place)
        if found is None:
            turn, versions = buffer_text.siblings(place), buffer_text.versions(place)
            shown = buffer_text.node_ids[place]
            version = versions.index(shown) + 1 if shown in versions else 1
            found = self._known[place] = Choices(turn.index + 1, turn.count, version, len(versions))
        return found


def beside_in_view(
    desk: TextDesk, work: Workspace, known: KnownChoices | None = None
) -> Iterator[MarginMarks]:
    """Yield for each passage in view its siblings, versions and signs; last what stands after the end."""
    if not desk.is_on:
        return  # another tree is about to be shown
    view, buffer_text, tree = desk.view, desk.buffer_text, work.document.tree
    known = KnownChoices() if known is None else known
    known.follow(tree, buffer_text)
    fates = desk.fates
    streaming = Counter(live.parent_id for live in work.generator.drafts(tree.loom.id))
    for passage in buffer_text.passages(*view.editor.in_view()):
        node_id = passage.node_id
        if node_id is None:
            if passage.start < passage.end:
                tint = theme.colour("agent.human")
                yield MarginMarks("", passage.start, passage.end, tint, hollow=False)
            continue
        node = tree.nodes.get(node_id)
        if node is None or (passage.start == passage.end and tree.is_empty_root(node_id)):
            continue
        choices = known.at(buffer_text, passage.place)
        above = buffer_text.node_ids[passage.place - 1] if passage.place else ""
        yield MarginMarks(
            node_id,
            passage.start,
            passage.end,
            view.colouring.tint_of(passage),
            number=choices.way,
            count=choices.ways + streaming[above],
            version=choices.version,
            versions=choices.versions,
            dashed=fates.get(node_id) in NOT_SENT,
            interrupted="" if node.interrupted is None else node.interrupted.reason,
            bookmarked=node.metadata.bookmarked,
        )
    shown = desk.tail.shown
    if shown is not None:
        offers = desk.tail.offers
        others = [] if desk.tail.is_ghost else paths_on(work, {offer.key for offer in offers})
        agent = work.document.agents.by_id().get(shown.agent_id or "")
        yield MarginMarks(
            TAIL,
            len(view.editor.text),
            len(view.editor.text),
            theme.colour(theme.agent_role(agent)),
            number=len(others) + desk.tail.index + 1,
            count=len(others) + len(offers),
            hollow=desk.tail.is_ghost,
            is_tail=True,
        )
    elif buffer_text.passage(len(buffer_text) - 1).end == len(view.editor.text) and (
        more := paths_on(work, set())
    ):
        end = len(view.editor.text)  # the path ends here, the text could go on
        yield MarginMarks(
            TAIL, end, end, theme.colour("border.strong"), number=0, count=len(more), is_tail=True
        )


def paths_on(work: Workspace, but: set[str]) -> list[str]:
    """The ways on from the end of the path, one living node each, older than what streams there."""
    document = work.document
    return [i for i in siblings.ways_on(document.tree, document.path_ids[-1]) if i not in but]


def cuts_of(buffer_text: BufferText, context: Assembled | None) -> tuple[CutLine, ...]:
    """The lines between what is sent and what is not, in order; none where everything is."""
    report = None if context is None else context.report
    if context is None or report is None or not report.truncated:
        return ()
    places = _left_out(buffer_text, context.fates)
    begin = buffer_text.passage(places[0]).start if places else 0
    end = buffer_text.passage(places[-1]).end if places else 0
    within = _beginning(buffer_text, context)
    if within is not None:
        end = within
        begin = begin if places else buffer_text.passage_from(within).start
    if end <= begin:
        return ()
    lines = [CutLine(end, tr("sent from here"), tr("sent ↓"))]
    if begin > 0:
        lines.insert(0, CutLine(begin, tr("not sent from here"), tr("not sent ↓")))
    return tuple(lines)


def _beginning(buffer_text: BufferText, context: Assembled) -> int | None:
    """The character within a passage with which what is sent goes on; None where it does with a whole one."""
    beginning = context.fitted.beginning
    if beginning is None:
        return None
    place: int | None = len(buffer_text.node_ids)
    if beginning.node_id is not None:
        place = buffer_text.place_of(beginning.node_id) if beginning.node_id in context.fates.path else None
    return None if place is None else buffer_text.passage(place).start + beginning.dropped_chars


def _left_out(buffer_text: BufferText, fates: Fates) -> list[int]:
    """The first and the last of the places for which there is no room, and perhaps some between them. A key
    asks for them: where the context goes along the text, no node is looked at.
    """
    ids, codes = buffer_text.node_ids, fates.codes
    same = common_length(ids, fates.path.node_ids)
    found = [place for place in (codes.find(NO_ROOM, 0, same), codes.rfind(NO_ROOM, 0, same)) if place >= 0]
    if same < len(codes):  # the context goes another way from there, and may come back
        ways = fates.path
        found += (i for i in range(same, len(ids)) if ids[i] in ways and fates[ids[i]] == "truncated")
    return found
