"""The buffer: its head, the text with its margins, and what stands for a while over or below a passage."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from loomapp.ui.buffer.bars import GhostBar, ReplaceBar
from loomapp.ui.buffer.margin.margins import Margins
from loomapp.ui.buffer.margin.marks import AuthorshipColours
from loomapp.ui.buffer.margin.version_list import VersionList
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.dialogue.script.entries import Halt
from loomapp.ui.widgets.error_strip import ErrorStrip

BELOW_PX = 6
EDGE_PX = 8
STRIP_PX = 16
PAD_PX = 8


class BufferView(QWidget):
    """Widgets of the buffer; what they show and ask for is the desk's."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("bufferView")
        self.setAccessibleName(self.tr("Buffer"))
        self.find_bar = ReplaceBar(self)
        self.editor = BufferEditor(self)
        self.colouring = AuthorshipColours()
        self.editor.formats_of = self.colouring.looks
        self.margins = Margins(self.editor)
        self.versions = VersionList(self.editor)
        self.ghost_bar = GhostBar(self.editor)
        self.filling = ErrorStrip(self, closable=True)
        self.filling.setObjectName("fillingStrip")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.find_bar)
        column.addWidget(self.editor, 1)
        below = QHBoxLayout()
        below.setContentsMargins(STRIP_PX, BELOW_PX, STRIP_PX, BELOW_PX)
        below.addWidget(self.filling)  # below the text: within it, it would cover what is written there
        column.addLayout(below)
        self.ghost_bar.hide()
        self.margins.moved.connect(self.place_over)
        self.versions.closed.connect(self.on_versions_closed)
        self.setFocusProxy(self.editor)

    def show_filling(self, halt: Halt | None) -> None:
        """Show in a strip what failed, waits or is filled in; None hides it."""
        if halt is None:
            self.filling.clear()
        else:
            self.filling.offer(halt.sentence, halt.acts, tone=halt.tone, closable=halt.closable)

    def show_ghost(self, count: int, *, has_next: bool = False, grows: bool = False) -> None:
        """Show that so many continuations are on offer, whether there is a way to the next, and whether one
        `grows`; 0 hides the bar.
        """
        self.editor.has_ghost = count > 0
        self.ghost_bar.show_offers(has_next=has_next, grows=grows)
        if self.ghost_bar.isHidden() == (count > 0):
            self.ghost_bar.setVisible(count > 0)
            self._reserve()

    def on_versions_closed(self) -> None:
        self.margins.set_open_chip("")
        self._reserve()
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def place_over(self) -> None:
        """Put what stands over the text where it belongs."""
        column = self.editor.viewport().geometry()
        end = self.editor.end_rect().translated(column.topLeft())
        if not self.ghost_bar.isHidden():
            left, height = column.left() - PAD_PX, self.ghost_bar.sizeHint().height()
            top = min(end.bottom() + BELOW_PX, self.editor.height() - height - 2)
            room = self.editor.width() - self.editor.verticalScrollBar().width() - left
            self.ghost_bar.setGeometry(left, top, self.ghost_bar.fit(room), height)
            self.ghost_bar.raise_()
        if not self.versions.isHidden():
            self._place_versions()

    def _reserve(self) -> None:
        """Reserve room below the end so that the bar covers no line of the text."""
        is_shown, followed = not self.ghost_bar.isHidden(), self.editor.is_end_in_view
        self.editor.reserve_below(self.ghost_bar.sizeHint().height() + 2 * BELOW_PX if is_shown else 0)
        if is_shown and followed:
            self.editor.show_end()
        self.place_over()

    def _place_versions(self) -> None:
        """Place the list below the passage, or above it. Over it never: then the text is moved up."""
        origin = self.editor.viewport().geometry().topLeft()
        passage = self.margins.passage_rect(self.versions.key).translated(origin)
        size = self.versions.size()
        chip = self.margins.chip_rect(self.versions.key)
        right = min(
            self.editor.width() - EDGE_PX, (chip.right() if chip.isValid() else self.editor.width()) + 24
        )
        top = passage.bottom() + 4
        if top + size.height() > self.editor.height() - EDGE_PX:
            if passage.top() - size.height() - 4 >= 0:
                top = passage.top() - size.height() - 4
            else:
                bar = self.editor.verticalScrollBar()
                lines = -(
                    -(top + size.height() + EDGE_PX - self.editor.height()) // int(self.editor.prose.line_px)
                )
                before = bar.value()
                bar.setValue(before + lines)
                if bar.value() != before:
                    return  # it is placed when the text has moved
                self.editor.reserve_below(size.height())
                bar.setValue(before + lines)
                return
        self.versions.move(max(EDGE_PX, right - size.width()), top)
        self.versions.raise_()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the caret into the line beside which the margin was clicked, or at the end of the text if that
        was below it.
        """
        if event.button() == Qt.MouseButton.LeftButton:
            self.editor.press_beside(self.editor.viewport().mapFrom(self, event.position().toPoint()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "margins"):
            self.editor.colour_anew()
            self.margins.place_soon()
