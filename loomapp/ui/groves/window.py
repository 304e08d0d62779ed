"""The small window while a grove is not open: that it is being opened, or why it is not, with its backups."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QFontMetrics,
    QKeySequence,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from loomapp.core.errors import LoomError
from loomapp.ui.groves.backup_page import BackupPage
from loomapp.ui.groves.states import OpeningState, Remedy, opening_state, remedy_words
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import KeyButton
from loomapp.ui.widgets.labels import label, plain_tip
from loomapp.ui.widgets.layouts import Flow, fill, vertical
from loomapp.ui.widgets.rows import ProgressRow

COLUMN_PX = 520
SIZE_PX = (760, 560)
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
        self._title = label("", "title", wrap=True, name="openingTitle")
        self._sentence = label("", "dialogue", "secondary", wrap=True, name="openingSentence")
        self._path = _PathLabel()
        self._again = label("", "small", "muted", wrap=True, name="openingAgain")
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
        self._again.setText(tr("Tried again at {time}: still the same.").format(time=now) if tried else "")
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
        column = QWidget()
        inside = vertical(column, spacing=0)
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
        page = _page_with(column)
        page.setObjectName("openingGround")
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
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, "border.normal", "surface.raised")
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


class OpeningWindow(QMainWindow):
    """Window of a grove that is being opened; it shows and reports, `Opening` does."""

    remedy_clicked = Signal(str)  # a Remedy
    cancel_clicked = Signal()
    closed = Signal()

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.setObjectName("openingWindow")
        self.setWindowTitle(f"{path.name} — Loomapp")
        self.resize(*SIZE_PX)
        self.page = OpeningPage(self)
        self.page.remedy_clicked.connect(self.remedy_clicked)
        self.backups = BackupPage(self)
        self.backups.close_asked.connect(self.show_page)
        self.progress = ProgressRow(self)
        self.progress.cancel_clicked.connect(self.cancel_clicked)
        self._title = label("", "title", wrap=True, name="openingBusyTitle")
        self._pages = QStackedWidget(self)
        self._busy = self._busy_page()
        for page in (self.page, self.backups, self._busy):
            self._pages.addWidget(page)
        self.setCentralWidget(self._pages)
        QShortcut(QKeySequence("Ctrl+Q"), self).activated.connect(self.close)

    def show_busy(self, title: str, words: str) -> None:
        self._title.setText(title)
        self.setAccessibleName(title)
        self.progress.begin(words)
        self._pages.setCurrentWidget(self._busy)

    def show_error(self, error: LoomError, without: Container[Remedy] = ()) -> None:
        """Show why the grove is not open, and what can be done."""
        self.progress.end()
        self.page.show_error(error, without)
        self.show_page()

    def show_page(self) -> None:
        self._pages.setCurrentWidget(self.page)
        first = self.page.state.remedies[0] if self.page.state is not None else None
        button = self.page.button(first) if first is not None else None
        if button is not None:
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_backups_of(self, grove: Path) -> None:
        self._pages.setCurrentWidget(self.backups)
        self.backups.show_backups_of(grove)

    @property
    def is_showing_error(self) -> bool:
        return self._pages.currentWidget() is self.page

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close at once; work that is under way is not waited for."""
        self.backups.end()
        self.progress.end()
        super().closeEvent(event)
        self.closed.emit()

    def _busy_page(self) -> QWidget:
        column = QWidget()
        inside = vertical(column, spacing=20)
        fill(inside, self._title, self.progress)
        return _page_with(column)


def _page_with(column: QWidget) -> QWidget:
    """Return a page with a column in its middle, a little above half its height."""
    page = QWidget()
    page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    theme.set_look(page, surface="canvas")
    column.setMaximumWidth(COLUMN_PX)
    middle = QHBoxLayout()  # not an alignment, which would forget that a narrow column is a high one
    middle.addStretch(1)
    middle.addWidget(column, 100)
    middle.addStretch(1)
    outside = vertical(page, (MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX))
    outside.addStretch(2)
    outside.addLayout(middle)
    outside.addStretch(3)
    return page
