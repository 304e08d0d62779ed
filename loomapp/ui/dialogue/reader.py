"""Reader of a column: goes to a message or walks by keys, edits in place, stays at the end or tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen, QRegion, QWheelEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from loomapp.ui.dialogue.column import STEP_PX, TOP_PX, MessageColumn
from loomapp.ui.dialogue.message import head
from loomapp.ui.dialogue.message.message import BELOW_PX, MessageView
from loomapp.ui.dialogue.script.heights import Folded, folded_message
from loomapp.ui.dialogue.text.safe_document import SafeDocument
from loomapp.ui.look import theme
from loomapp.ui.widgets.keyboard import TextSteps

if TYPE_CHECKING:
    from loomapp.ui.dialogue.script.script import Script


ABOVE_PX = 12


class NewTextPill(QPushButton):
    """Button that is shown while text grows below what is read; a click goes there."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("newTextPill")
        self.setText(self.tr("New text"))
        self.setAccessibleName(self.tr("Go to the new text below"))
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        width = theme.metric("control.focus_width") if self.hasFocus() else 1.0
        painter.setPen(QPen(theme.colour("accent.focus" if self.hasFocus() else "border.strong"), width))
        painter.setBrush(theme.colour("surface.hover" if self.underMouse() else "surface.overlay"))
        rect = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        theme.paint(painter, "chevron-down", "accent.base", QRectF(10, (self.height() - 16) / 2, 16, 16))
        theme.write_in(painter, "ui", "text.primary")
        words = QRectF(self.rect()).adjusted(30, 0, -8, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()

    def place(self, room_width: int, room_height: int) -> None:
        """Place it in the middle of the lower edge of a room."""
        words = QFontMetricsF(theme.font("ui")).horizontalAdvance(self.text())
        self.resize(round(words) + 46, theme.px("control.height"))
        self.move((room_width - self.width()) // 2, room_height - self.height() - ABOVE_PX)
        self.raise_()


RING_PX = 8


class ReaderColumn(MessageColumn):
    """A column that is read: messages are revealed, unfolded, lit; nothing here changes what is shown."""

    size_asked = Signal(int)  # text so many px larger, or smaller

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text_px = theme.type_px("dialogue")
        self._text_steps = TextSteps()
        self._marked: tuple[QRect, ...] = ()  # where light and rings were when they were last asked for

    def place_rows(self) -> None:
        """Put every visible row where it belongs; the light and the ring around messages go along."""
        super().place_rows()
        self.follow_marks()

    def fit_text(self) -> None:
        """Show messages in the size that the theme has for them now."""
        if self._text_px == theme.type_px("dialogue"):
            return
        self._text_px = theme.type_px("dialogue")
        if self._script is not None:
            at_end, self._gap_below = self._is_at_end(), False
            self._estimate()
            if at_end:
                self._go_to_end()
            self.place_rows()
            self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl ask for another size of the text."""
        steps = self._text_steps.count(event)
        if steps is None:
            super().wheelEvent(event)
        elif steps:
            self.size_asked.emit(steps)

    def follow_marks(self) -> None:
        """Paint the light and the ring where they are now, and the ground where they were: they reach out of
        their messages, so nothing else asks for it."""
        marked = tuple(_around(m).toAlignedRect() for m in (*self._lit_messages(), *self._ringed_messages()))
        if marked == self._marked:
            return
        region = QRegion()
        for rect in (*self._marked, *marked):
            region += rect.adjusted(-2, -2, 2, 2)  # half of the pen of a ring
        self._marked = marked
        self.viewport().update(region)

    def reserve_top(self, height_px: int) -> None:
        """Keep room above the messages free; what is read stays where it is on the screen."""
        by = height_px - self.viewportMargins().top()
        if by:
            row, y = self._anchor
            self._anchor = (row, y - by)
            self.setViewportMargins(0, height_px, 0, 0)
            self.place_rows()

    @property
    def first_row(self) -> int:
        return self._anchor[0]

    def open_row(self, row: int) -> MessageView | None:
        """Bring a row into view with all of its text."""
        script = self._script
        if script is None or row >= len(script):
            return None
        key = script.row_key(row)
        self._unfolded.add(key)
        self._expanded.add(key)
        self.reveal(key)
        self.place_rows()
        return self._shown.get(key)

    def bring_line_into_view(self, message: MessageView, line: QRect) -> None:
        """Scroll so that a line of a message stands in the upper half, unless it can be seen well."""
        y = message.body.mapTo(self.viewport(), line.topLeft()).y()
        height = self.viewport().height()
        if not height // 8 <= y <= height * 7 // 8:
            row = self._script.row_of(message.key) if self._script else None
            if row is not None:
                top = message.y() - self.cards_above(row)
                self._anchor, self._follows_end = (row, top + height // 3 - y), False
                self.place_rows()

    def fold_of(self, row: int) -> Folded | None:
        """Return the part that is shown of a row of which only the beginning is, on the screen or not."""
        script = self._script
        assert script is not None
        entry = script.entry(row)
        return None if entry.grows or script.row_key(row) in self._unfolded else folded_message(entry)

    def document_of(self, row: int) -> SafeDocument:
        """The text of a row as it is read, also of one that is not on the screen or only a line of it."""
        script = self._script
        assert script is not None
        message = self._shown.get(script.row_key(row))
        if message is not None and not message.body.isHidden():
            return message.body.document()
        message = self._new_message()
        unfolded = script.row_key(row) in self._unfolded
        message.show_entry(script.entry(row), self._column().width(), expanded=True, unfolded=unfolded)
        self._spare.append(message)
        return message.body.document()

    def reveal(self, key: str) -> None:
        """Bring a message into view, its head at least."""
        if self._script is None or not self.is_on_path(key):
            return
        row = self._script.row_of(key) or 0
        message = self.message(key)
        if message is not None and 0 <= message.y() <= self.viewport().height() - 3 * head.HEIGHT_PX:
            return
        self._anchor = (row, self.viewport().height() / 3)
        self._follows_end = False
        self.place_rows()

    def toggle_fold(self, key: str) -> None:
        """Show all of a long message or its beginning only; its head stays, or comes into view."""
        message = self.message(key)
        row = self._script.row_of(key) if self._script else None
        if message is None or row is None:
            return
        self._unfolded ^= {key}
        y = message.y() if key in self._unfolded else max(message.y(), TOP_PX)
        self._anchor, self._follows_end = (row, y - self.cards_above(row)), False
        self.place_rows()

    @property
    def is_end_in_view(self) -> bool:
        script = self._script
        if script is None or not len(script):
            return True
        last = self._shown.get(script.row_key(len(script) - 1))
        bottom = 0 if last is None else last.y() + last.height() - BELOW_PX
        return last is not None and bottom <= self.viewport().height()

    @property
    def are_last_words_in_view(self) -> bool:
        """True if the last words can be read, whatever rows stand below them."""
        last = self._shown.get(self._script.keys[-1]) if self._script is not None and self._script else None
        height = self.viewport().height()
        return self.is_end_in_view or (last is not None and last.y() + last.words_bottom <= height)

    def follow_end(self) -> None:
        """Go to the end, and stay there while it grows."""
        self._go_to_end()
        self.place_rows()
        self._sticks_to_end = True
        self.place_rows()

    def set_hovered(self, key: str) -> None:
        """Light the message of a node that is pointed at elsewhere; nothing for an empty id."""
        if key != self._lit:
            self._lit = key
            self.follow_marks()

    def bring_into_view(self, widget: QWidget) -> None:
        """Scroll as little as brings a widget in a message into view."""
        rect = QRect(widget.mapTo(self.viewport(), QPoint(0, 0)), widget.size())
        bar = self.verticalScrollBar()
        if rect.height() < self.viewport().height():
            if rect.top() < 0:
                bar.setValue(bar.value() + rect.top() - TOP_PX)
            elif rect.bottom() > self.viewport().height():
                bar.setValue(bar.value() + rect.bottom() - self.viewport().height() + TOP_PX)

    def viewportEvent(self, event: QEvent) -> bool:
        """Paint the ground before the messages paint themselves."""
        if event.type() == QEvent.Type.Paint and isinstance(event, QPaintEvent):
            painter = QPainter(self.viewport())
            painter.fillRect(event.rect(), theme.colour("surface.panel"))
            self._paint_light(painter)
            self._paint_ring(painter)
            painter.end()
            return True
        return super().viewportEvent(event)

    def _lit_messages(self) -> list[MessageView]:
        message = self.message(self._lit)
        return [] if message is None or message.isHidden() else [message]

    def _ringed_messages(self) -> list[MessageView]:
        return [message for message in self._shown.values() if message.hasFocus()]

    def _paint_light(self, painter: QPainter) -> None:
        """Paint a soft ground behind the message that is pointed at in the graph."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme.draw_in(painter, fill="surface.selected")
        radius = theme.metric("radius.card")
        for message in self._lit_messages():
            painter.drawRoundedRect(_around(message), radius, radius)

    def _paint_ring(self, painter: QPainter) -> None:
        """The ring around the message that has the keyboard, in the space between messages; or around all."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme.draw_in(painter, "accent.focus", width=theme.metric("control.focus_width"))
        radius = theme.metric("radius.card")
        if self.hasFocus():
            painter.drawRoundedRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1), radius, radius)
        for message in self._ringed_messages():
            painter.drawRoundedRect(_around(message), radius, radius)


def _around(message: MessageView) -> QRectF:
    """Return a message's rectangle with a part of the space around it."""
    return QRectF(message.geometry()).adjusted(-RING_PX, -3, RING_PX, RING_PX - BELOW_PX)


def nothing_begun(_: str) -> str | None:
    """Return None: no edit was closed."""
    return None


class EditorColumn(ReaderColumn):
    """Column whose messages can be edited in their place; nothing of it is stored here."""

    edit_opened = Signal(str)  # node id: it stands in an editor now
    sent_asked = Signal(str)  # node id of an answer: what its model was sent

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.begun_edit: Callable[[str], str | None] = nothing_begun  # words of an edit that was closed

    def open_editor(self, node_id: str, text: str | None = None) -> None:
        """Edit a message of the path in its place; go on with a text that was begun before."""
        if self._script is None or not self.is_on_path(node_id):
            return
        self.reveal(node_id)
        message = self.message(node_id)
        if message is None:
            return
        if text is None and message.edited_text(node_id) is None:
            text = self.begun_edit(node_id)
        if node_id != self._script.keys[-1]:  # a growing end is not followed: the editor would be led away
            self._follows_end = False
        message.open_editor(node_id, text)
        if message.editor is not None:
            self.bring_into_view(message.editor)
            self.edit_opened.emit(node_id)

    def edited_text(self, node_id: str) -> str | None:
        """Return the text in the open editor of a message; None if there is none."""
        texts = (message.edited_text(node_id) for message in self._shown.values())
        return next((text for text in texts if text is not None), None)

    @property
    def is_editing(self) -> bool:
        return any(message.is_editing for message in self._shown.values())

    def is_editing_beside(self, node_id: str) -> bool:
        """True if there is no room for an editor of a message: it has one, or its row has."""
        message = self.message(node_id)
        return message is not None and message.is_editing

    def close_editor(self, node_id: str) -> None:
        for message in list(self._shown.values()):
            if message.edited_text(node_id) is not None:
                message.close_editor()


class Walking:
    """Keyboard in a column. Where a message has it, it goes along; elsewhere the column only scrolls."""

    def __init__(self, column: ReaderColumn) -> None:
        self._column = column

    def take(self, event: QKeyEvent) -> bool:
        """Go where a key leads; False if it leads nowhere."""
        match event.key():
            case Qt.Key.Key_Up:
                self._step(-1)
            case Qt.Key.Key_Down:
                self._step(1)
            case Qt.Key.Key_PageUp:
                self._turn(-1)
            case Qt.Key.Key_PageDown:
                self._turn(1)
            case Qt.Key.Key_Home:
                self._leap(0)
            case Qt.Key.Key_End:
                self._leap(-1)
            case _:
                return False
        return True

    def _step(self, by: int) -> None:
        """Scroll a little, or move the keyboard from message to message; through a long one line by line."""
        focus, script = QApplication.focusWidget(), self._column.script
        bar, height = self._column.verticalScrollBar(), self._column.viewport().height()
        if script is None or not isinstance(focus, MessageView):
            bar.setValue(bar.value() + by * STEP_PX)
            return
        unread = focus.y() if by < 0 else height - (focus.y() + focus.height() - BELOW_PX)
        if unread < 0 and focus.height() > height // 2:
            bar.setValue(bar.value() + by * min(STEP_PX, -unread))
            return
        row = (script.row_of(focus.key) or 0) + by
        if 0 <= row < len(script):
            self._focus_row(script, row)

    def _turn(self, by: int) -> None:
        """A page up or down; the keyboard goes to the first message there if a message had it."""
        had = isinstance(QApplication.focusWidget(), MessageView)
        bar = self._column.verticalScrollBar()
        bar.setValue(bar.value() + by * (bar.pageStep() - STEP_PX))
        shown = self._column.shown_messages()
        if had and shown:
            place = next((m for m in shown if m.y() >= 0), shown[0]) if by > 0 else shown[0]
            place.setFocus(Qt.FocusReason.TabFocusReason)

    def _leap(self, row: int) -> None:
        """Go to the first row, or the last for -1."""
        had, script = isinstance(QApplication.focusWidget(), MessageView), self._column.script
        bar = self._column.verticalScrollBar()
        bar.setValue(bar.maximum() if row else 0)
        if had and script is not None and len(script):
            self._focus_row(script, len(script) - 1 if row else 0)

    def _focus_row(self, script: Script, row: int) -> None:
        """Bring a message into view and give it the keyboard."""
        key = script.row_key(row)
        message = self._column.message(key)
        if message is None or not 0 <= message.y() < self._column.viewport().height() - head.HEIGHT_PX:
            self._column.reveal(key)
            message = self._column.message(key)
        assert message is not None, "what is revealed is shown"
        message.setFocus(Qt.FocusReason.TabFocusReason)


def message_around(widget: QWidget | None, view: QWidget) -> MessageView | None:
    """Return the message of a view that a widget is, or is a part of."""
    while widget is not None and widget is not view:
        if isinstance(widget, MessageView):
            return widget
        widget = widget.parentWidget()
    return None
