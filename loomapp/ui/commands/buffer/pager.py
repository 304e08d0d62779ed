"""Turning passages over: another sibling or version in place; marks of both beside the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.outcomes import NO_ROOM, Fates
from loomapp.core.generation.drafts import failed_count, in_order
from loomapp.core.model.entities import Node, verbatim
from loomapp.core.paths import siblings
from loomapp.core.paths.path import common_length
from loomapp.core.prose.buffer_text import BufferText
from loomapp.core.prose.path_choice import KnownChoices
from loomapp.session.workspace import Workspace
from loomapp.ui import figures
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.buffer.margin.marks import CutLine, MarginMarks
from loomapp.ui.buffer.margin.version_list import VersionRow, not_in, what_changed
from loomapp.ui.commands.inspector.comparison import desk_of
from loomapp.ui.dialogue.script.entries import broken_off, cut_words
from loomapp.ui.graph.scene.card_faces import author_name
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.buffer.view import BufferView

TAIL = "tail"
NOT_SENT = ("truncated", "excluded", "pruned", "refused")


def why_ended(work: Workspace, node: Node, *, is_last: bool) -> str:
    """Return why a passage ends where it does, for people; empty where it ended by itself. What was cut by a
    limit is told at the end of the text: elsewhere the text has gone on.
    """
    if node.interrupted is not None:
        return broken_off(node.interrupted.reason)
    tokens = work.document.calls.cut_at(node.id) if is_last and node.author_type == "model" else None
    if tokens is None:
        return ""
    said = cut_words(tokens)
    return tr("{said}. Generate goes on from here").format(said=f"{said[:1].upper()}{said[1:]}")


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
    coming = [live for live in work.generator.drafts(tree.loom.id) if not failed_count((live,))]
    streaming = Counter(live.parent_id for live in coming)
    own: MarginMarks | None = None  # of words that are in no node yet
    for passage in buffer_text.passages(*view.editor.in_view()):
        node_id = passage.node_id
        if node_id is None:
            if passage.start < passage.end:
                own = MarginMarks("", passage.start, passage.end, theme.colour("agent.human"))
            continue
        node = tree.nodes.get(node_id)
        if node is None or (passage.start == passage.end and tree.is_empty_root(node_id)):
            continue
        choices = known.at(buffer_text, passage.place)
        above = buffer_text.node_ids[passage.place - 1] if passage.place else ""
        is_last = passage.end == len(view.editor.text) and node_id not in buffer_text.penned
        yield MarginMarks(
            node_id,
            passage.start,
            passage.end,
            view.colouring.tint_of(passage),
            number=choices.way + sum(live.parent_id == above and node_id in live.later for live in coming),
            count=choices.ways + streaming[above],
            version=choices.version,
            versions=choices.versions,
            dashed=fates.get(node_id) in NOT_SENT,
            interrupted="" if node.interrupted is None else node.interrupted.reason,
            ended=why_ended(work, node, is_last=is_last),
            bookmarked=node.metadata.bookmarked,
        )
    is_behind = own is not None and bool(view.editor.tail_text) and own.begin >= view.editor.tail_at
    if own is not None and not is_behind:
        yield own
    shown, end = desk.tail.shown, len(view.editor.text)
    if shown is not None:
        ways = tail_ways(work, desk)
        agent = work.document.agents.by_id().get(shown.agent_id or "")
        yield MarginMarks(
            TAIL,
            end,
            end,
            theme.colour(theme.agent_role(agent)),
            number=ways.index(shown.key) + 1,
            count=len(ways),
            hollow=desk.tail.is_ghost,
            is_tail=True,
        )
    elif buffer_text.passage(len(buffer_text) - 1).end == end and (more := paths_on(work, set())):
        # the path ends here, the text could go on
        yield MarginMarks(
            TAIL, end, end, theme.colour("border.strong"), number=0, count=len(more), is_tail=True
        )
    if own is not None and is_behind:
        yield own


def paths_on(work: Workspace, but: set[str]) -> list[str]:
    """The ways on from the end of the path, one living node each."""
    document = work.document
    return [i for i in siblings.ways_on(document.tree, document.path_ids[-1]) if i not in but]


def tail_ways(work: Workspace, desk: TextDesk) -> list[str]:
    """The ways on from the end of the path in order, with what is offered there."""
    coming = {one.key: () if one.live is None else one.live.later for one in desk.tail.offers}
    return in_order([] if desk.tail.is_ghost else paths_on(work, {*coming}), coming)


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
    """The first and the last of the places without room, perhaps some between; each key asks for them."""
    ids, codes = buffer_text.node_ids, fates.codes
    same = common_length(ids, fates.path.node_ids)  # so far no node is looked at
    found = [place for place in (codes.find(NO_ROOM, 0, same), codes.rfind(NO_ROOM, 0, same)) if place >= 0]
    if same < len(codes):  # the context goes another way from there, and may come back
        ways = fates.path
        found += (i for i in range(same, len(ids)) if ids[i] in ways and fates[ids[i]] == "truncated")
    return found


MOST_CHARACTERS = 20_000  # of a version that is compared for its row; the page compares all of it


class Turning(QObject):
    """Commands of pagers, chips and the list of versions."""

    def __init__(self, desk: TextDesk, view: BufferView, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._desk, self._view = desk, view
        self._is_choosing = False
        view.margins.sibling_turned.connect(self.on_sibling_turned)
        view.margins.versions_asked.connect(self.on_versions_asked)
        view.margins.version_turned.connect(self.turn_version)
        view.versions.chosen.connect(self.on_version_chosen)
        view.versions.compare_asked.connect(self.on_compare_asked)

    # Siblings.

    def on_sibling_turned(self, key: str, step: int) -> None:
        if key == TAIL:
            self.turn_tail(step)
        else:
            self.turn_sibling(key, step)

    def turn_tail(self, step: int) -> bool:
        """Show another of the answers at the end. False if there is none."""
        desk = self._desk
        ways, shown = tail_ways(self._bench.work, desk), desk.tail.shown
        first = 0 if step > 0 else len(ways) - 1  # the path ends here, the text could go on
        place = first if shown is None else ways.index(shown.key) + step
        if not 0 <= place < len(ways):
            return False
        if all(offer.key != ways[place] for offer in desk.tail.offers):
            self._bench.frame.run_command(lambda w: w.work.document.place.read_through(ways[place]))
        elif desk.tail.is_ghost:
            desk.ghosts.choose(ways[place])
        else:
            desk.answers.choose(ways[place])
        return True

    def turn_sibling(self, node_id: str, step: int) -> None:
        """Read the sibling before or after a passage of the path; all below it follows."""
        desk = self._desk
        place = desk.buffer_text.place_of(node_id)
        if place is None:
            return
        turn = desk.buffer_text.siblings(place)
        above = desk.buffer_text.node_ids[place - 1] if place else ""
        drafts = self._bench.work.generator.drafts(self._bench.work.document.tree.loom.id)
        ways = in_order(turn.node_ids, {live.key: live.later for live in drafts if live.parent_id == above})
        other = ways.index(turn.node_ids[turn.index]) + step if turn.count else -1
        if 0 <= other < len(ways) and ways[other] in turn.node_ids:
            self._turn_to(place, ways[other])
        elif 0 <= other < len(ways):
            self._bench.frame.run_command(lambda w: w.work.document.place.read(above))
            desk.answers.choose(ways[other])

    # Versions.

    def turn_version(self, node_id: str, step: int) -> None:
        """Show the version of a passage before or after the one that is shown."""
        versions = self._versions(node_id)
        if node_id in versions:
            other = versions.index(node_id) + step
            if 0 <= other < len(versions):
                self._choose(node_id, versions[other])

    def on_versions_asked(self, node_id: str) -> None:
        view = self._view
        if view.versions.key == node_id and not view.versions.isHidden():
            view.versions.leave()
            return
        rows, current = self._rows(node_id)
        if len(rows) > 1:
            view.editor.reserve_below(0)
            view.versions.open(node_id, rows, current)
            view.margins.set_open_chip(node_id)
            view.place_over()

    def on_version_chosen(self, node_id: str) -> None:
        self._choose(self._view.versions.key, node_id)

    def on_compare_asked(self) -> None:
        """Compare all versions word by word, in the graph's place."""
        versions = self._versions(self._view.versions.key)
        self._view.versions.leave()
        desk_of(self._bench).show_nodes(list(versions))

    def refresh(self) -> None:
        listed = self._view.versions
        if listed.isHidden() or self._is_choosing:
            return
        rows, current = self._rows(listed.key)
        if len(rows) > 1:
            listed.show_rows(rows, current)
        else:
            listed.leave()

    def _choose(self, node_id: str, version_id: str) -> None:
        desk = self._desk
        place = desk.buffer_text.place_of(node_id)
        if place is None:
            return
        listed = self._view.versions
        self._is_choosing = True  # until the list is about the version that stands there then
        self._show_version(place, version_id)
        self._is_choosing = False
        if listed.key == node_id and desk.buffer_text.place_of(version_id) is not None:
            listed.key = version_id
            self._view.margins.set_open_chip(version_id)
        self.refresh()

    def _turn_to(self, place: int, node_id: str) -> None:
        top = self._desk.view.editor.verticalScrollBar().value()
        with self._desk.place.moving():
            self._bench.frame.run_command(lambda _: self._desk.passages.show_sibling(place, node_id))
            self._bench.work.document.place.set_current(node_id)
        self._desk.view.editor.verticalScrollBar().setValue(top)  # what is above reads as before
        self._desk.place.reveal_start(node_id)

    def _show_version(self, place: int, version_id: str) -> None:
        """Show another version at a place of the text; what is in view stays there."""
        top = self._desk.view.editor.verticalScrollBar().value()
        with self._desk.place.moving():
            self._bench.frame.run_command(lambda _: self._desk.passages.show_version(place, version_id))
        self._desk.view.editor.verticalScrollBar().setValue(top)

    def _versions(self, node_id: str) -> tuple[str, ...]:
        place = self._desk.buffer_text.place_of(node_id)
        return () if place is None else self._desk.buffer_text.versions(place)

    def _rows(self, node_id: str) -> tuple[list[VersionRow], int]:
        """Newest first; each with what is new in it, the first with what is not in the newest any more."""
        document = self._bench.work.document
        versions, agents = self._versions(node_id), document.agents.by_id()
        rows: list[VersionRow] = []
        texts = [verbatim(document.tree.nodes[version_id])[:MOST_CHARACTERS] for version_id in versions]
        for number, (version_id, text) in enumerate(zip(versions, texts, strict=True)):
            node, note = document.tree.nodes[version_id], ""
            if not text:
                note = tr("emptied") if number else tr("empty")
            runs = what_changed(text, texts[number - 1]) if number else not_in(text, texts[-1])
            rows.append(
                VersionRow(
                    version_id,
                    agents.get(node.author_agent_id or ""),
                    author_name(node, agents),
                    figures.moment(node.created_at) if node.created_at else "",
                    runs,
                    note,
                )
            )
        rows.reverse()
        current = next((i for i, row in enumerate(rows) if row.node_id == node_id), 0)
        return rows, current


class Stepping:
    """Tells whether a key for siblings or versions is meant for a buffer's text."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._bench = bench
        self._desk = desk

    def has_siblings(self) -> bool:
        """True if the passage of the caret, or what streams after it, has another beside it."""
        place = self._current_place()
        if self._is_at_tail() and len(self._desk.tail.offers) != 1:
            return True
        return place is not None and self._desk.buffer_text.siblings(place).count > 1

    def step_sibling(self, by: int) -> bool:
        """Read another sibling in the place of the caret's passage. False if it is not the text that is
        meant.
        """
        if self._is_at_tail() and (self._desk.turning.turn_tail(by) or len(self._desk.tail.offers) > 1):
            return True  # before the first of several and after the last there is no other
        self._desk.settle_offer()  # it is no other answer that is meant
        place = self._current_place()
        if place is None:
            return False
        if self._desk.buffer_text.siblings(place).count < 2:
            return True  # whoever writes stays where he is
        top = self._desk.view.editor.verticalScrollBar().value()
        with self._desk.place.moving():
            self._desk.passages.step_sibling(place, by)
            node_id = self._bench.work.document.path_ids[place]
            self._bench.work.document.place.set_current(node_id)
        self._desk.view.editor.verticalScrollBar().setValue(top)
        self._desk.place.reveal_start(node_id)
        return True

    def step_version(self, by: int) -> bool:
        """Read another version of the caret's passage. False if it is not the text that is meant."""
        place = self._current_place()
        if place is None:
            return False
        top = self._desk.view.editor.verticalScrollBar().value()
        with self._desk.place.moving():
            self._desk.passages.step_version(place, by)
        self._desk.view.editor.verticalScrollBar().setValue(top)
        return True

    def _current_place(self) -> int | None:
        """Return the place of the current node in the text; None if it is not there, or if no
        buffer is read.
        """
        document = self._bench.work.document
        return document.path.place_of(document.current_id) if self._desk.is_on else None

    def _is_at_tail(self) -> bool:
        document = self._bench.work.document
        if not self._desk.is_on or document.current_id != document.path_ids[-1]:
            return False
        return bool(self._desk.tail.offers or document.tree.living_children(document.current_id))
