"""Empty path: how to begin, and three first lines to take."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from loomapp.ui.dialogue.suggestion import SuggestionButton
from loomapp.ui.look import theme

WIDTH_PX = 356


def suggestions() -> tuple[str, ...]:
    """Return first lines that show what several answers are good for."""
    return (
        QCoreApplication.translate(
            "EmptyPath", "Help me find the voice of a character who has never seen the sea."
        ),
        QCoreApplication.translate("EmptyPath", "Read this text as three different critics would: "),
        QCoreApplication.translate("EmptyPath", "Continue this story, three ways: "),
    )


class EmptyPath(QWidget):
    """Suggestions that are shown until there is something to read."""

    suggestion_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyPath")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px("space.s"))
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
        """Place it in the lower middle of a room."""
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
