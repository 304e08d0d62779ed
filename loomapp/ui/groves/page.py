"""Page that fills the window while no grove is open: why, calmly, and what can be done about it."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.errors import LoomError
from loomapp.ui.groves.states import OpeningState, Remedy, opening_state, remedy_words
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import KeyButton
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import Flow
from loomapp.ui.widgets.tips import plain_tip

COLUMN_PX = 520
MARGIN_PX = 24
SIGN_PX = 48
ICON_PX = 24


class OpeningPage(QScrollArea):
    """A title, one sentence, the file, and buttons. It opens nothing itself: it says what was clicked."""

    remedy_clicked = Signal(str)  # a Remedy

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("openingPage")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.state: OpeningState | None = None
        self._sign = _Sign()
        self._title = label("", "title", wrap=True)
        self._title.setObjectName("openingTitle")
        self._sentence = label("", "dialogue", "secondary", wrap=True)
        self._sentence.setObjectName("openingSentence")
        self._path = _PathLabel()
        self._again = label("", "small", "muted", wrap=True)
        self._again.setObjectName("openingAgain")
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._buttons = QWidget()
        self._button_of: dict[str, KeyButton] = {}  # by remedy, in the order in which they are shown
        self._row = Flow(gap_px=8)
        self._buttons.setLayout(self._row)
        self.setWidget(self._built())

    def show_error(self, error: LoomError, without: Container[Remedy] = ()) -> None:
        """Show why a grove is not open. `without`: remedies that lead nowhere here, as where no backup is.

        Shown again with the same error, it says when it was tried: the click did something.
        """
        state = opening_state(error)
        tried = state == self.state
        self.state = state
        self._sign.show_icon(state.icon)
        self._title.setText(state.title)
        self._sentence.setText(state.sentence)
        self._path.show_path(state.path)
        self._path.setVisible(bool(state.path))
        now = datetime.now().astimezone().strftime("%H:%M:%S")
        self._again.setText(tr("Tried again at {time}: it is as before.").format(time=now) if tried else "")
        self.setAccessibleName(state.title)
        self.setAccessibleDescription(state.sentence)
        if not tried:
            self._show_buttons([remedy for remedy in state.remedies if remedy not in without])

    def button(self, remedy: Remedy) -> QPushButton | None:
        """Return the button of a remedy, None if it is not offered."""
        return self._button_of.get(remedy)

    def on_button_clicked(self) -> None:
        self.remedy_clicked.emit(self.sender().objectName())

    def _show_buttons(self, remedies: list[Remedy]) -> None:
        for old in self._button_of.values():
            self._row.removeWidget(old)
            old.setParent(None)
            old.deleteLater()
        self._button_of = {}
        for number, remedy in enumerate(remedies):
            kind = "primary" if number == 0 else "plain"
            button = KeyButton(remedy_words(remedy), parent=self._buttons, kind=kind)
            button.setObjectName(remedy)
            self._button_of[remedy] = button
            button.setAccessibleDescription(self._sentence.text())
            button.clicked.connect(self.on_button_clicked)
            self._row.addWidget(button)
            button.show()
        if remedies:
            self._button_of[remedies[0]].setFocus(Qt.FocusReason.OtherFocusReason)

    def _built(self) -> QWidget:
        page = QWidget()
        page.setObjectName("openingGround")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(page, surface="canvas")
        column = QWidget(page)
        column.setMaximumWidth(COLUMN_PX)
        inside = QVBoxLayout(column)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        for widget, gap in (
            (self._sign, 20),
            (self._title, 8),
            (self._sentence, 12),
            (self._path, 24),
            (self._buttons, 16),
            (self._again, 0),
        ):
            inside.addWidget(widget)
            inside.addSpacing(gap)
        outside = QVBoxLayout(page)
        outside.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        outside.addStretch(2)
        middle = QHBoxLayout()  # not an alignment, which would forget that a narrow column is a high one
        middle.addStretch(1)
        middle.addWidget(column, 100)
        middle.addStretch(1)
        outside.addLayout(middle)
        outside.addStretch(3)
        return page


class _Sign(QWidget):
    """Icon of a state on a soft square; the title says the same in words."""

    def __init__(self) -> None:
        super().__init__()
        self._icon = "info"
        self.setFixedSize(QSize(SIGN_PX, SIGN_PX))

    def show_icon(self, name: str) -> None:
        self._icon = name
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("border.normal"), 1))
        painter.setBrush(theme.colour("surface.raised"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 12, 12)
        inset = (SIGN_PX - ICON_PX) / 2
        theme.paint(painter, self._icon, "text.secondary", QRectF(inset, inset, ICON_PX, ICON_PX))
        painter.end()


class _PathLabel(QLabel):
    """A path in one line, its middle left out where there is no room; all of it is the tool tip."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("openingPath")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(theme.font("mono"))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        theme.set_look(self, tone="muted")
        self._path = ""

    def show_path(self, path: str) -> None:
        self._path = path
        self.setToolTip(plain_tip(path))
        self.setAccessibleName(path)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics = QFontMetrics(self.font())
        self.setText(metrics.elidedText(self._path, Qt.TextElideMode.ElideMiddle, self.width()))
