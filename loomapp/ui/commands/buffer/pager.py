"""Turning passages over: another sibling, with all that follows it; another version, in its one place."""

from __future__ import annotations

from PySide6.QtCore import QObject

from loomapp.core.model.entities import verbatim
from loomapp.ui import figures
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.buffer.margin.version_list import VersionRow, not_in, what_changed
from loomapp.ui.buffer.view import BufferView
from loomapp.ui.commands.buffer.passage_marks import TAIL, paths_on
from loomapp.ui.commands.inspector.comparison import desk_of
from loomapp.ui.graph.scene.card_faces import author_name
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

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
        offers = desk.tail.offers
        others = [] if desk.tail.is_ghost else paths_on(self._bench.work, {offer.key for offer in offers})
        ways = [*others, *(offer.key for offer in offers)]
        place = len(others) + desk.tail.index + step
        if not offers:
            place = 0 if step > 0 else len(ways) - 1  # the path ends here, the text could go on
        if not ways or not 0 <= place < len(ways):
            return False
        if place < len(others):
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
        other = turn.index + step
        if 0 <= other < turn.count:
            self._turn_to(place, turn.node_ids[other])
            return
        above = desk.buffer_text.node_ids[place - 1] if place else ""
        drafts = [
            live.key
            for live in self._bench.work.generator.drafts(self._bench.work.document.tree.loom.id)
            if live.parent_id == above
        ]
        if turn.count <= other < turn.count + len(drafts):
            self._bench.frame.run_command(lambda w: w.work.document.place.read(above))
            desk.answers.choose(drafts[other - turn.count])

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
            node, note = document.tree.nodes[version_id], "" if text else tr("emptied")
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
