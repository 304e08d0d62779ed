"""Naming a branch: the line on its head's card, and what is typed in it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from loomapp.core.economy.branch_summaries import Branch, head_row, read_branch
from loomapp.core.economy.threads import title_of
from loomapp.ui.commands import availability
from loomapp.ui.commands.graph import branches
from loomapp.ui.commands.save import save
from loomapp.ui.graph.view import GraphView
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.fields import LeftWords, Line
from loomapp.ui.workbench import Workbench

HEIGHT_PX = 26
LEAST_PX = 164


class BranchNameLine(Line):
    """Line edit on the upper edge of a card, as wide as the card; it goes along with the canvas."""

    named = Signal(str, str)  # node id, title; blank: the first words of the node

    def __init__(self, graph: GraphView) -> None:
        super().__init__(graph.viewport())
        self.setObjectName("branchTitle")
        self.setAccessibleName(tr("Name of this branch"))
        self.setFont(theme.font("ui_strong"))
        self._graph = graph
        self._left, self._node_id, self._saved = LeftWords(), "", ""
        self.hide()
        self.returnPressed.connect(self.on_entered)
        graph.look_changed.connect(self._place)

    @property
    def node_id(self) -> str:
        """The node whose branch is being named; empty while the line is away."""
        return self._node_id

    def open(self, node_id: str, title: str, first_words: str) -> None:
        """Begin to name the branch at a node; its first words stand where no name does."""
        self.leave()
        self._node_id, self._saved = node_id, title
        self.setPlaceholderText(first_words)
        self._left.fill(self, node_id, title)
        self._place()
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Keep what was typed, if anything was, and go away."""
        node_id, words = self._node_id, self.text()
        self._close()
        if node_id and words.strip() != self._saved:
            self.named.emit(node_id, words)

    def on_entered(self) -> None:
        """Keep the name, also one that is the first words of the node."""
        node_id, words = self._node_id, self.text()
        self._close()
        self._graph.setFocus(Qt.FocusReason.OtherFocusReason)
        if node_id:
            self.named.emit(node_id, words)

    def on_escaped(self) -> None:
        """Go away without a name; what was typed waits for the next time."""
        self._left.leave(self, self._node_id)
        self._close()
        self._graph.setFocus(Qt.FocusReason.OtherFocusReason)

    def event(self, event: QEvent) -> bool:
        """Keep the window's actions from taking Esc."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Cancel)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.on_escaped()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Keep what was typed, but while a menu or another window is over it."""
        super().focusOutEvent(event)
        passing = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if event.reason() not in passing:
            self.leave()

    def _close(self) -> None:
        self._node_id = ""
        self.hide()

    def _place(self) -> None:
        if not self._node_id:
            return
        card, room = self._graph.node_rect(self._node_id), _room(self._graph)
        width = min(max(LEAST_PX, card.width()), room.width())
        left = card.left() if card.isValid() else room.center().x() - width // 2
        top = card.top() - HEIGHT_PX + 1 if card.isValid() else room.top()
        left = max(room.left(), min(left, room.right() - width))
        top = max(room.top(), min(top, room.bottom() - HEIGHT_PX))
        self.setGeometry(left, top, width, HEIGHT_PX)


def _room(graph: GraphView) -> QRect:
    viewport: QWidget = graph.viewport()
    return viewport.rect().adjusted(4, 4, -4, -4)


NO_NAME = "The branch of the first node is named as its tree; of others only messages can be named."


def can_name(bench: Workbench) -> bool:
    """The current node is a message and not the first one, whose branch is named as the tree."""
    document = bench.work.document
    return availability.can_mark(bench) and document.current_id != document.tree.root_id


def ask_name(bench: Workbench) -> None:
    """Name the branch at the current node, in a line on its card."""
    document, node_id = bench.work.document, bench.work.document.current_id
    branches.bring(bench)
    bench.views.graph.ensure_visible(node_id)
    row = head_row(document.tree, node_id)
    title = "" if row is None else read_branch(row).title or ""
    first_words = title_of(Branch(node_id), document.tree.nodes[node_id].text)
    bench.parts.one(BranchNameLine, partial(_made_line, bench)).open(node_id, title, first_words)


def _made_line(bench: Workbench) -> BranchNameLine:
    line, run = BranchNameLine(bench.views.graph), bench.frame.run_beside_text
    line.named.connect(lambda node_id, title: run(lambda w: save.name_branch(w, node_id, title)))
    bench.work.document.leaving.connect(line.leave)
    return line
