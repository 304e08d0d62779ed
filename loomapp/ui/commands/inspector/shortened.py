"""Chips of what was shortened in a context, on messages, cards and rows, and their popover."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPaintEvent
from PySide6.QtWidgets import QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.ui.commands import remedies
from loomapp.ui.inspector.preview import ContextPreview
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import PlainView, label
from loomapp.ui.widgets.layouts import horizontal, vertical
from loomapp.ui.widgets.page import Popover
from loomapp.ui.widgets.words.amounts import ShortenedFacts, facts_of, kilobytes
from loomapp.ui.workbench import Workbench

WIDTH_PX = 360
TEXT_PX = 200
BELOW_PX = 4  # between a chip and its popover
BAR_PX = 8
ROW_PX = 20


class SizeBars(QWidget):
    """Two bars, before and sent, with their sizes."""

    def __init__(self, before_bytes: int, after_bytes: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = (
            (tr("before"), before_bytes, "text.secondary"),
            (tr("sent"), after_bytes, "accent.base"),
        )
        said = tr("Before {before} KB, sent {after} KB")
        self.setAccessibleName(said.format(before=kilobytes(before_bytes), after=kilobytes(after_bytes)))

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, 2 * ROW_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        words, numbers = theme.font("small"), theme.numbers("small")
        names_px = max(QFontMetricsF(words).horizontalAdvance(name) for name, _, _ in self._rows) + 10
        sizes = [tr("{size} KB").format(size=kilobytes(count)) for _, count, _ in self._rows]
        sizes_px = max(QFontMetricsF(numbers).horizontalAdvance(size) for size in sizes) + 10
        room = self.width() - names_px - sizes_px
        most = max(count for _, count, _ in self._rows) or 1
        for i, (name, count, role) in enumerate(self._rows):
            row = QRectF(0, i * ROW_PX, self.width(), ROW_PX)
            painter.setFont(words)
            painter.setPen(theme.colour("text.secondary"))
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, name)
            painter.setFont(numbers)
            painter.setPen(theme.colour("text.primary"))
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, sizes[i])
            bar = QRectF(names_px, row.center().y() - BAR_PX / 2, room, BAR_PX)
            theme.draw_in(painter, fill="surface.hover")
            painter.drawRoundedRect(bar, BAR_PX / 2, BAR_PX / 2)
            bar.setWidth(max(BAR_PX, room * count / most))
            theme.draw_in(painter, fill=role)
            painter.drawRoundedRect(bar, BAR_PX / 2, BAR_PX / 2)
        painter.end()


class ShortenedPopover(Popover):
    """Opens below a chip; Esc or a click beside it shuts it, and the keyboard is where it was."""

    full_asked = Signal(str)  # node id

    def __init__(self, facts: ShortenedFacts, parent: QWidget, *, can_send_in_full: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName("shortenedPopover")
        self.setAccessibleName(facts.title)
        self.setAccessibleDescription(facts.reason)
        self.setFixedWidth(WIDTH_PX)
        self._facts = facts
        self._place = QRect()
        column = vertical(self, (14, 12, 14, 10), spacing=8)
        head = horizontal(spacing=8)
        head.addWidget(label(facts.title, "ui_strong"), 1)
        head.addWidget(label(facts.local_id, "mono", "muted"))
        column.addLayout(head)
        column.addWidget(label(facts.reason, "small", "secondary", wrap=True, name="shortenedReason"))
        column.addWidget(SizeBars(facts.shortened.before_bytes, facts.shortened.after_bytes, self))
        self._text = PlainView(tr("What is sent"), self)
        self._text.name_field("shortenedText")
        self._text.setFixedHeight(TEXT_PX)
        self._text.hide()
        column.addWidget(self._text)
        self.show_button = push_button("showSentButton", tr("Show what is sent"), self, kind="link")
        self.show_button.clicked.connect(self.on_show_clicked)
        self.full_button = push_button("sendInFullButton", tr("Send in full"), self, kind="link")
        self.full_button.clicked.connect(self.on_full_clicked)
        self.full_button.setVisible(can_send_in_full)
        acts = horizontal(spacing=14)
        acts.addWidget(self.show_button)
        acts.addWidget(self.full_button)
        acts.addStretch(1)
        column.addLayout(acts)

    def open_below(self, place: QRect) -> None:
        """Open below a chip, whose place on the screen this is; above it where there is no room below."""
        self._place = place
        self._put()
        self.show()
        self.show_button.setFocus(Qt.FocusReason.PopupFocusReason)

    def on_show_clicked(self) -> None:
        """Show what is sent, to the character, or no more."""
        is_shown = self._text.isHidden()
        if is_shown:
            self._text.show_text(self._facts.text)
        self._text.setVisible(is_shown)
        self.show_button.setText(tr("Hide what is sent") if is_shown else tr("Show what is sent"))
        self._put()

    def on_full_clicked(self) -> None:
        self.close()
        self.full_asked.emit(self._facts.node_id)

    def _put(self) -> None:
        layout = self.layout()
        assert layout is not None, "it has parts"
        layout.activate()
        self.resize(WIDTH_PX, layout.heightForWidth(WIDTH_PX))
        screen = self.screen().availableGeometry()
        left = max(screen.left(), min(self._place.left(), screen.right() - self.width()))
        top = self._place.bottom() + BELOW_PX
        if top + self.height() > screen.bottom():
            top = max(screen.top(), self._place.top() - BELOW_PX - self.height())
        self.move(QPoint(left, top))


def wire(bench: Workbench) -> None:
    bench.views.dialogue.shortened_asked.connect(partial(_ask_on_message, bench))
    bench.views.graph.shortened_asked.connect(partial(_ask_on_card, bench))
    wire_preview(bench, bench.views.inspector.context)
    bench.views.text_pane.preview_came.connect(partial(wire_preview, bench))


def wire_preview(bench: Workbench, preview: ContextPreview) -> None:
    def ask(node_id: str, place: QRect) -> None:
        shown = preview.rows.shown
        if shown is not None:
            _open(bench, shown.assembled, node_id, place, can_send_in_full=preview.past is None)

    preview.rows.shortened_asked.connect(ask)


def _ask_on_message(bench: Workbench, node_id: str, chip: QWidget) -> None:
    place = QRect(chip.mapToGlobal(QPoint(0, 0)), chip.size())
    if bench.work.preview.last is not None:
        _open(bench, bench.work.preview.last, node_id, place)


def _ask_on_card(bench: Workbench, node_id: str, place: QRect) -> None:
    if bench.work.preview.last is not None:
        _open(bench, bench.work.preview.last, node_id, place)


def _open(
    bench: Workbench, assembled: Assembled, node_id: str, place: QRect, *, can_send_in_full: bool = True
) -> None:
    """Open the popover of a node; the keyboard comes back to where it was when that is shut."""
    node = bench.work.document.tree.nodes.get(node_id)
    facts = None if node is None else facts_of(assembled, node)
    if facts is None:
        return
    can_edit = can_send_in_full and not bench.work.document.grove.read_only
    popover = ShortenedPopover(facts, bench.views.window, can_send_in_full=can_edit)
    popover.full_asked.connect(partial(_send_in_full, bench))
    popover.open_below(place)


def _send_in_full(bench: Workbench, node_id: str) -> None:
    bench.frame.run_command(lambda w: remedies.mend(w, node_id, "sendInFull"))
