"""Memory of a window: its place and docks, the tree, and the place in each tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, replace

from PySide6.QtCore import QEvent, QObject, QTimer

from loomapp.core.errors import GroveError
from loomapp.session.window_state import TreeState, ViewPosition, WindowState, path_sum, read_left, write_left
from loomapp.ui.commands import preferences
from loomapp.ui.commands.graph.foreign_writes import ForeignWritesNotice
from loomapp.ui.graph.motion.card_moves import GraphLook
from loomapp.ui.look.layout_memory import last_widths, restore_layout, save_layout
from loomapp.ui.side_bar.outline.row_words import RowPlace
from loomapp.ui.window.inspector_fold import InspectorFold
from loomapp.ui.window.responsive import FocusMode, Halves
from loomapp.ui.workbench import Workbench

SETTLE_MS = 1500  # after the last movement; the end of the window writes at once
GRAPH, TREE_SETTINGS, SETTINGS = "graph", "treeSettings", "settings"


class WindowMemory(QObject):
    """Takes down how a window stands, a moment after it moved and at its end, and puts it back.

    Every window has its own, in a file that belongs to its grove but does not lie in it.
    """

    def __init__(self, bench: Workbench, halves: Halves, fold: InspectorFold, focus: FocusMode) -> None:
        super().__init__(bench.views.window)
        self._bench, self._halves, self._fold, self._focus = bench, halves, fold, focus
        self._file = bench.work.document.grove.path
        self._left = read_left(self._file)
        self._trees = dict(self._left.trees)
        self._shown = ""  # the tree that the views show
        self._path = self._bench.work.document.tree.path  # what is read in it
        self._reading: ViewPosition | None = None  # where the text is to stand, once it has its size
        self._written = self._left
        self._soon = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._soon.timeout.connect(self.write)

    def restore_window(self) -> None:
        """Restore the window's place, and the parts it showed around the tree; before it is seen."""
        bench, left = self._bench, self._left
        restore_layout(bench.views.window, left.geometry, left.docks)
        self._halves.set_widths(left.widths or last_widths())
        bench.views.inspector_dock.setVisible(left.shows_inspector)
        bench.views.inspector.show_tab(left.tab)
        self._fold.want(beside_dialogue=left.folds_inspector, beside_buffer=not left.unfolds_beside_buffer)
        if left.shows_pruned:
            bench.display.set_show_pruned(True)

    def follow(self) -> None:
        """Come back to the page that stood in the graph's place, and follow what moves from here on."""
        bench = self._bench
        if self._left.page == TREE_SETTINGS:
            bench.views.pages.show_settings()
        elif self._left.page == SETTINGS:
            preferences.show_page(bench)
        if self._left.continuations:
            bench.views.composer.set_count(self._left.continuations)
        bench.views.composer.count_changed.connect(self.on_count_changed)
        bench.views.window.installEventFilter(self)
        for moved in (
            bench.work.document.place.current_changed,
            bench.work.document.tree_changed,
            bench.work.document.tree_opened,
            bench.views.graph.look_changed,
            bench.views.side_parts.outline.folds_changed,
            bench.views.side_parts.outline.verticalScrollBar().valueChanged,
            bench.views.dialogue.verticalScrollBar().valueChanged,
            bench.views.inspector.tab_changed,
            bench.views.pages.currentChanged,
        ):
            moved.connect(self.on_moved)

    def on_moved(self, *_: object) -> None:
        """Write down places when they rest."""
        self._note_path()
        self._soon.start()

    def on_count_changed(self, _: int) -> None:
        """Write down the count at once: it says what the next Generate costs."""
        self.write()

    def leave(self) -> None:
        """Note where one was in the last tree, for another is about to be shown."""
        if self._shown:
            self._trees.pop(self._shown, None)
            self._trees[self._shown] = self._here()

    def folds_of(self, tree_id: str) -> Mapping[str, list[str]] | None:
        """Return the folds of a tree when it was last left; None: as at first."""
        return self._trees.get(tree_id, TreeState()).folds

    def opened_in(self, tree_id: str) -> Sequence[str]:
        """Return the rows of the outline that were open when a tree was last left."""
        return self._trees.get(tree_id, TreeState()).opened

    def outline_in(self, tree_id: str) -> RowPlace | None:
        """Return the place at which the outline of a tree was looked at when it was last left."""
        look = self._trees.get(tree_id, TreeState()).outline
        return None if look is None else RowPlace(look.key, round(look.y))

    def come_back(self) -> None:
        """A tree is shown: go where one was in it; where it went on since, to the end of what is read."""
        bench = self._bench
        self._shown, self._path = bench.work.document.tree.loom.id, bench.work.document.tree.path
        left = self._trees.get(self._shown, TreeState())
        if left.folds is not None:
            bench.views.graph.set_fold_state(left.folds)
        look = left.look
        bench.views.graph.set_look_state(None if look is None else GraphLook(*astuple(look)))
        if bench.work.document.grove.read_only or left.is_of(self._path):
            bench.work.document.place.set_current(left.current)
        bench.actions.refresh()  # what is folded and unread is known only now
        self._reading = left.reading
        QTimer.singleShot(0, self, self.scroll_back)  # when all have heard of the tree

    def scroll_back(self) -> None:
        """Scroll the text to where it was read; once more when the window has its size."""
        if self._reading is not None:
            self._bench.views.dialogue.go_to_place(self._reading.key, self._reading.y)
        if self._bench.views.window.isVisible():
            self._reading = None

    def write(self) -> None:
        self._note_path()
        left = self._standing()
        if left != self._written:
            self._written = left
            write_left(self._file, left)

    def close(self) -> None:
        """Write down the window as it ends, also as the place for the next new grove."""
        self._soon.stop()
        save_layout(self._bench.views.window, self._halves.widths)
        self.write()

    def note_end(self) -> None:
        """Write down that all of the window's own is in the log by now: what comes later is of others."""
        grove, seen = self._bench.work.document.grove, self._written.sequence
        with suppress(GroveError):
            if seen and not grove.written_since(seen):  # else some of it was not shown yet
                write_left(self._file, replace(self._written, sequence=grove.sequence(), is_ended=True))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hear of the window's place; the event passes."""
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowStateChange):
            self._soon.start()
        elif event.type() == QEvent.Type.Show:
            QTimer.singleShot(0, self, self.on_seen)
        return False

    def on_seen(self) -> None:
        """Restore the sizes of parts, for the window has its own."""
        self._fold.stand(self._left.inspector_px)
        self._left = replace(self._left, inspector_px=0)  # once
        self.scroll_back()

    def _note_path(self) -> None:
        """Note the path; while another tree is about to be shown, that of the last one stays known."""
        if self._bench.work.document.tree.loom.id == self._shown:
            self._path = self._bench.work.document.tree.path

    def _standing(self) -> WindowState:
        bench = self._bench
        self.leave()
        page = bench.views.pages.currentWidget()
        name = TREE_SETTINGS if page is bench.views.settings_page else GRAPH
        return replace(
            self._left,
            geometry=bytes(bench.views.window.saveGeometry().data()),
            docks=self._written.docks if self._focus.is_on else bytes(bench.views.window.saveState().data()),
            widths=self._written.widths if self._focus.is_on else self._halves.widths,
            page=SETTINGS if preferences.is_page_shown(bench) else name,
            inspector_px=self._fold.height_px or self._written.inspector_px,
            tab=bench.views.inspector.tab,
            shows_inspector=bench.views.pages.is_inspector_wanted,
            folds_inspector=self._fold.is_wanted_folded(is_prose=False),
            unfolds_beside_buffer=not self._fold.is_wanted_folded(is_prose=True),
            shows_pruned=bench.display.is_showing_pruned,
            continuations=0
            if bench.views.composer.count == preferences.use_of(bench).usual_count
            else bench.views.composer.count,
            sequence=self._sequence(),
            is_ended=False,
            tree_id=self._shown,
            trees=dict(self._trees),
        )

    def _sequence(self) -> int:
        """Return the number of the change that was shown last."""
        notice = self._bench.parts.made(ForeignWritesNotice)
        return (notice.sequence() if notice is not None else 0) or self._left.sequence

    def _here(self) -> TreeState:
        bench = self._bench
        look, place, row = (
            bench.views.graph.look_state(),
            bench.views.dialogue.place,
            bench.views.side_parts.outline.place,
        )
        return TreeState(
            current=bench.views.graph.current_node_id or "",
            look=None if look is None else ViewPosition(*look),
            reading=self._reading or (None if place is None else ViewPosition(place[0], y=place[1])),
            folds=bench.views.graph.fold_state(),
            opened=bench.views.side_parts.outline.opened,
            outline=None if row is None else ViewPosition(row.key, y=row.y),
            path=path_sum(self._path),
        )
