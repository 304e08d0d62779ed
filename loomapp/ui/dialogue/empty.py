"""Empty path: how to begin, and first lines to take."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QLabel, QSizePolicy, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.layouts import vertical

HEIGHT_PX = 44
PADDING_PX = 16


class SuggestionButton(QAbstractButton):
    """Button with one line, cut off with … if it is long; its whole text is the tool tip."""

    def __init__(self, line: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = line
        self.setObjectName("suggestionButton")
        self.setAccessibleName(line)
        self.setToolTip(line)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFixedHeight(HEIGHT_PX)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(320, HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        focused = self.hasFocus()
        edge = "accent.focus" if focused else "border.strong" if self.underMouse() else "border.normal"
        width = theme.metric("control.focus_width") if focused else 1.0
        painter.setPen(QPen(theme.colour(edge), width))
        painter.setBrush(theme.colour("surface.hover") if self.underMouse() else Qt.BrushStyle.NoBrush)
        rect = QRectF(self.rect())
        painter.drawRoundedRect(rect.adjusted(width / 2, width / 2, -width / 2, -width / 2), 6, 6)
        font = theme.font("ui")
        painter.setFont(font)
        painter.setPen(theme.colour("text.primary"))
        room = rect.adjusted(PADDING_PX, 0, -PADDING_PX - 24, 0)
        words = QFontMetricsF(font).elidedText(self.line.strip(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        icon = QRectF(rect.right() - PADDING_PX - 14, rect.center().y() - 7, 14, 14)
        theme.paint(painter, "corner-down-left", "text.muted", icon)
        painter.end()


WIDTH_PX = 356


def suggestions() -> tuple[str, ...]:
    """Return first lines that show what several answers are good for."""
    return (
        tr("Help me find the voice of a character who has never seen the sea."),
        tr("Read this text as three different critics would: "),
        tr("Continue this story, three ways: "),
    )


class EmptyPath(QWidget):
    """Suggestions that are shown until there is something to read."""

    suggestion_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyPath")
        column = vertical(self, spacing=theme.px("space.s"))
        title = QLabel(self.tr("Not sure how to begin?"), self)
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setFont(theme.font("ui_strong"))
        column.addWidget(title)
        column.addSpacing(4)
        for line in suggestions():
            button = SuggestionButton(line, self)
            button.clicked.connect(self.on_clicked)
            column.addWidget(button)
        hint = QLabel(
            self.tr("A suggestion goes into the field below; nothing is sent until you press Generate."), self
        )
        hint.setTextFormat(Qt.TextFormat.PlainText)
        hint.setFont(theme.font("small"))
        hint.setWordWrap(True)
        theme.set_look(hint, tone="muted")
        column.addSpacing(4)
        column.addWidget(hint)

    def place(self, room_width: int, room_height: int) -> None:
        width = min(WIDTH_PX, room_width - 2 * theme.px("space.xl"))
        height = self.heightForWidth(width)
        bottom = max(0, room_height - height - theme.px("space.xxxl"))
        self.setGeometry(
            (room_width - width) // 2, min(bottom, (room_height - height) * 3 // 5), width, height
        )

    def on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, SuggestionButton):
            self.suggestion_chosen.emit(button.line)
