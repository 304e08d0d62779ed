"""Writes of other programs: told once, a dot on each until somebody looked, a popover of them all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation as walks
from loomapp.core.paths.path import Path
from loomapp.session.lifetime.foreign_writes import COMMAND_LINE, ForeignWrites
from loomapp.ui import figures
from loomapp.ui.commands import navigate
from loomapp.ui.composer.composer_rows import NewBelow
from loomapp.ui.look import theme
from loomapp.ui.strings import start_of, tr, unsteered
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import horizontal, vertical
from loomapp.ui.widgets.page import Popover
from loomapp.ui.workbench import Workbench

WIDTH_PX = 400
ABOVE_PX = 6
ROW_PX = 28
DOT_PX, BAR_PX, BAR_HEIGHT_PX = 7, 3, 15
TEXT_X = 22


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """A node, or what was written in another tree, as the popover lists it."""

    key: str  # of the node, or of the tree
    words: str
    local_id: str = ""  # none: a tree
    author: Agent | None = None


class _Line(QAbstractButton):
    """One row: a dot, the author's bar, the local id and the first words."""

    def __init__(self, row: WrittenRow, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("writtenRow")
        self._row = row
        self.setText(row.words)
        self.setAccessibleName(f"{row.local_id} {row.words}".strip())
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, ROW_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        box = QRectF(self.rect())
        if self.underMouse() or self.hasFocus():
            theme.draw_in(painter, "accent.focus" if self.hasFocus() else "", "surface.hover")
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        middle, left = box.center().y(), 6.0
        theme.draw_in(painter, fill="accent.base")
        painter.drawEllipse(QRectF(left, middle - DOT_PX / 2, DOT_PX, DOT_PX))
        if self._row.local_id:
            painter.setBrush(theme.agent_colour(self._row.author))
            bar = QRectF(left + 13, middle - BAR_HEIGHT_PX / 2, BAR_PX, BAR_HEIGHT_PX)
            painter.drawRoundedRect(bar, 1.5, 1.5)
            left = self._paint_id(painter, left + TEXT_X, box)
        else:
            left += TEXT_X - 8
        theme.write_in(painter, "ui", "text.primary")
        room = box.adjusted(left, 0, -6, 0)
        words = QFontMetrics(painter.font()).elidedText(
            self._row.words, Qt.TextElideMode.ElideRight, round(room.width())
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()

    def _paint_id(self, painter: QPainter, left: float, box: QRectF) -> float:
        """Paint the local id in its frame; return where the words begin."""
        theme.write_in(painter, "mono", "text.secondary")
        width = QFontMetrics(painter.font()).horizontalAdvance(self._row.local_id) + 12
        frame = QRectF(left, box.center().y() - 10, width, 20)
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, self._row.local_id)
        theme.draw_in(painter, "border.normal")
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        return left + width + 8


class WritesPopover(Popover):
    """Opens above the words in the status bar; Esc or a click beside it shuts it."""

    row_chosen = Signal(str)  # its key
    first_asked = Signal()
    read_asked = Signal()  # all is to be taken for read
    undo_asked = Signal()

    def __init__(self, title: str, when: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("mcpWritesPopover")
        self.setAccessibleName(title)
        self.setFixedWidth(WIDTH_PX)
        self._column = vertical(self, (12, 12, 12, 10), spacing=6)
        head = horizontal(spacing=8)
        head.addWidget(label(title, "ui_strong", wrap=True), 1)
        head.addWidget(label(when, "small", "muted"), 0, Qt.AlignmentFlag.AlignTop)
        self._column.addLayout(head)

    def show_rows(self, rows: Sequence[WrittenRow], *notes: str, undo: str) -> None:
        """List these, with notes below them and words for undo; nothing where there is none."""
        for row in rows:
            line = _Line(row, self)
            line.clicked.connect(lambda _=False, key=row.key: self._emit_row(key))
            self._column.addWidget(line)
        for note in filter(None, notes):
            self._column.addWidget(label(note, "small", "muted", wrap=True))
        acts = horizontal(spacing=12)
        first = push_button("writesGoToFirst", tr("Go to the first"), self, kind="link")
        first.clicked.connect(self._on_first)
        read = push_button("writesMarkAsRead", tr("Mark as read"), self, kind="link")
        read.clicked.connect(self._on_read)
        for button in (first, read):
            acts.addWidget(button)
        acts.addStretch(1)
        if undo:
            taken_back = push_button("writesUndo", undo, self, kind="link")
            theme.put_beside_words(taken_back, "rotate-ccw", "text.link", 14)
            taken_back.clicked.connect(self._on_undo)
            acts.addWidget(taken_back)
        self._column.addLayout(acts)
        first.setFocus(Qt.FocusReason.PopupFocusReason)

    def open_above(self, place: QRect) -> None:
        """Open above a place on the screen, at its right."""
        self._column.activate()
        self.resize(WIDTH_PX, self._column.totalHeightForWidth(WIDTH_PX))
        screen = self.screen().availableGeometry()
        left = max(screen.left(), min(place.right(), screen.right()) - self.width())
        self.move(QPoint(left, max(screen.top(), place.top() - ABOVE_PX - self.height())))
        self.show()

    def _emit_row(self, key: str) -> None:
        self.close()
        self.row_chosen.emit(key)

    def _on_first(self) -> None:
        self.close()
        self.first_asked.emit()

    def _on_read(self) -> None:
        self.close()
        self.read_asked.emit()

    def _on_undo(self) -> None:
        self.close()
        self.undo_asked.emit()


MOST_LISTED = 12
LONGEST_LINE = 60  # characters of a node in the popover
MOST_NAMED = 3  # programs in one sentence


class ForeignWritesNotice(QObject):
    """Says who wrote how much, where, until it was looked at; its popover names the nodes."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._dotted: set[str] = set()  # nodes whose cards have got a dot
        self.sequence: Callable[[], int] = lambda: 0  # of the change that was taken in last, once it is known
        self.writes = ForeignWrites(bench.work.document, self)
        self.popover: WritesPopover | None = None  # the one that was opened last, which may be gone
        self._below = NewBelow(bench.views.text_pane)
        bench.views.text_pane.add_below_text(self._below)
        self._below.read_asked.connect(self._go_to)
        self.writes.changed.connect(self.show)
        bench.work.document.place.current_changed.connect(lambda *_: self._show_below())
        bench.work.document.tree_changed.connect(lambda *_: self._show_below())  # another path, too
        bench.views.status.writes.clicked.connect(self.open)

    def show(self) -> None:
        """Show what waits to be looked at, wherever it is seen."""
        views, words = self._bench.views, self.words
        is_news = bool(words) and words != views.status.writes.accessibleName()
        views.status.show_writes(words)
        if is_news:
            views.announcer.say(words)
        written = {node_id: _who((by,)) for node_id, by in self.writes.by_node.items()}
        views.side_parts.outline.set_written(written)
        views.dialogue.set_written(written.keys())
        views.graph.mark_unread(written.keys() - self._dotted)
        self._dotted = set(written)
        views.tree_list.show_new(
            {tree_id: _new_words(writers) for tree_id, writers in self.writes.elsewhere.items()}
        )
        self._show_below()

    @property
    def words(self) -> str:
        """Return who wrote how many nodes; nothing if all were looked at."""
        count = self.writes.count
        return _wrote_words(self.writes.writers, count) if count else ""

    def open(self) -> None:
        when = figures.moment(self.writes.newest_at) if self.writes.newest_at else ""
        popover = self.popover = WritesPopover(self.words, when, self._bench.views.window)
        rows = [*self._node_rows(), *self._tree_rows()]
        hidden = len(rows) - MOST_LISTED
        more = tr("and {n} more").format(n=figures.number(hidden)) if hidden > 0 else ""
        popover.show_rows(rows[:MOST_LISTED], more, self._evidence_words(), undo=self._undo_words())
        popover.row_chosen.connect(self._go_to)
        popover.first_asked.connect(partial(self._go_to, rows[0].key if rows else ""))
        run = self._bench.frame.run_command
        popover.read_asked.connect(lambda: run(self._mark_as_read))
        steps = self.writes.newest_steps  # as the words say, however many come meanwhile
        popover.undo_asked.connect(lambda: run(partial(self._undo, steps=steps)))
        button = self._bench.views.status.writes
        popover.open_above(QRect(button.mapToGlobal(QPoint(0, 0)), QSize(button.size())))

    def _node_rows(self) -> Iterable[WrittenRow]:
        document = self._bench.work.document
        agents, nodes = document.agents.by_id(), document.tree.nodes
        for node_id in self.writes.node_ids:
            if node_id in nodes:
                node = nodes[node_id]
                author = agents.get(node.author_agent_id or "")
                yield WrittenRow(node_id, _line(node.text), node.local_id, author)

    def _tree_rows(self) -> Iterable[WrittenRow]:
        titles = {row.id: row.title for row in self._bench.work.document.trees.known_rows()}
        for tree_id, writers in self.writes.elsewhere.items():
            words = tr("In {tree}: {what}").format(
                tree=_line(titles.get(tree_id, "")), what=_new_words(writers)
            )
            yield WrittenRow(tree_id, words)

    def _evidence_words(self) -> str:
        """Return that there is no evidence, unless a model was asked for something of it."""
        document = self._bench.work.document
        agents, nodes = document.agents.by_id(), document.tree.nodes
        authors = [
            agents.get(nodes[one].author_agent_id or "") for one in self.writes.node_ids if one in nodes
        ]
        has_asked = any(author is not None and author.model_ref is not None for author in authors)
        return "" if has_asked or not authors else tr("No evidence: written by another program.")

    def _undo_words(self) -> str:
        steps = self.writes.newest_steps
        if not steps or self._bench.work.document.grove.read_only:
            return ""
        if steps == 1:
            return tr("Undo it")
        return tr("Undo both") if steps == 2 else tr("Undo all {n}").format(n=figures.number(steps))

    def _go_to(self, key: str) -> None:
        """Read a node, or what a note is on; or open another tree in which something was written."""
        if key in self.writes.elsewhere:
            self._bench.frame.run_command(lambda bench: bench.frame.open_tree(key))
            return
        tree = self._bench.work.document.tree
        if key not in tree.nodes:
            return
        noted = next((edge.sources[0].node_id for edge in tree.annotation_edges_into(key)), None)
        self.writes.look_at(key)
        self._bench.frame.run_command(lambda bench: navigate.show(bench, noted or key))

    def _mark_as_read(self, bench: Workbench) -> None:
        for node_id in self.writes.node_ids:
            bench.views.graph.on_read(node_id)
        self.writes.forget()

    def _undo(self, bench: Workbench, steps: int) -> None:
        """Take back what they did last, one step after the other, as undo would; if there are as many steps
        as was said. Else it is said anew.
        """
        if steps != self.writes.newest_steps:
            self.open()
            return
        history, guard = bench.work.document.history, bench.work.generator.answers.guard_undo
        for _ in range(steps):
            history.undo(guard)

    def _show_below(self) -> None:
        """Say below the text what is new after its end."""
        document = self._bench.work.document
        by_node = self.writes.by_node
        below = below_end(document.tree, by_node, document.path) if by_node else []
        if not below:
            self._below.say("", "")
            return
        who = _who(by_node[one] for one in below)
        start = _line(document.tree.nodes[below[0]].text)
        words = tr("{n} new below, by {who}: {start}")
        self._below.say(words.format(n=figures.number(len(below)), who=who, start=start), below[0])


def below_end(tree: Tree, node_ids: Collection[str], path: Path) -> list[str]:
    """Return those of some nodes that hang below the end of a path; each node is walked up from once."""
    hangs: dict[str, bool] = {}  # whether a node beside the path does
    for node_id in node_ids:
        above: str | None = node_id if node_id in tree.nodes else None
        way: list[str] = []
        while above is not None and above not in hangs and above not in path:
            way.append(above)
            above = walks.parent(tree, above)
        is_below = above is not None and hangs.get(above, above == path.node_ids[-1])
        hangs.update(dict.fromkeys(way, is_below))
    return [node_id for node_id in node_ids if hangs.get(node_id)]


def _who(programs: Iterable[str]) -> str:
    """Return the names of programs, each once; of many the first ones."""
    each = dict.fromkeys(programs)
    names = [tr("the command line") if one == COMMAND_LINE else unsteered(one) for one in each]
    if len(names) > MOST_NAMED:
        names[MOST_NAMED:] = [tr("others")]
    return ", ".join(names)


def _wrote_words(programs: Iterable[str], count: int) -> str:
    said = tr("{who} wrote 1 node") if count == 1 else tr("{who} wrote {n} nodes")
    words = said.format(who=_who(programs), n=figures.number(count))
    return words[:1].upper() + words[1:]


def _new_words(writers: Mapping[str, str]) -> str:
    """Return how much of a tree is new, and who wrote it: `2 new from Claude Desktop`."""
    words = tr("{n} new from {who}")
    return words.format(n=figures.number(len(writers)), who=_who(writers.values()))


def _line(text: str) -> str:
    return start_of(" ".join(unsteered(text).split()), LONGEST_LINE)
