"""The foot of the import page: the primary button, or how far the import is and a button that stops it."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QStackedWidget, QWidget

from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import KeyButton
from loomapp.ui.widgets.labels import ElidedLabel, label

BAR_PX = 96
NARROW_PX = 480  # below that only what must be there is
_COUNT, _KEEPS = "{done} of {of}", "keeps the {done} that are done"


class ImportFoot(QStackedWidget):
    """Foot of the import page; its two lines stand in one place, so that nothing moves."""

    import_clicked = Signal()
    cancel_clicked = Signal()
    stop_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._began = 0.0
        self._words = tr("Import"), tr("Import")  # on the button, where there is room and where there is not
        self._button = KeyButton(tr("Import"), parent=self, kind="primary")
        self._button.setObjectName("importButton")
        self._button.clicked.connect(self.import_clicked)
        self._cancel = QPushButton(tr("Cancel"), self)
        self._cancel.setObjectName("importCancel")
        self._cancel.clicked.connect(self.cancel_clicked)
        theme.set_look(self._cancel, kind="quiet", large=True)
        self._count = label("", "ui_strong")
        self._count.setObjectName("importCount")
        self._bar = QProgressBar(self)
        self._bar.setObjectName("importBar")
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(BAR_PX)
        self._at = ElidedLabel(self)
        self._stop = QPushButton(tr("Stop"), self)
        self._stop.setObjectName("importStop")
        self._stop.clicked.connect(self.stop_clicked)
        theme.set_look(self._stop, large=True)
        self._keeps = label("", "small", "muted")
        self.addWidget(self._waiting_line())
        self.addWidget(self._running_line())
        self.setFixedHeight(theme.px("control.height_primary") + 8)

    def show_chosen(self, count: int, *, can_import: bool) -> None:
        """Show the number of conversations to import."""
        if not count:
            words = tr("Import")
        elif count == 1:
            words = tr("Import 1 conversation")
        else:
            words = tr("Import {count} conversations").format(count=figures.number(count))
        self._words = words, tr("Import {count}").format(count=figures.number(count)) if count else words
        self._button.setAccessibleName(words)
        self._fit()
        self._button.setEnabled(can_import and count > 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        is_narrow = self.width() < NARROW_PX
        self._button.setText(self._words[is_narrow])
        self._button.updateGeometry()
        self._at.setHidden(is_narrow)
        self._keeps.setHidden(is_narrow)

    def begin(self, of: int) -> None:
        self._began = time.monotonic()
        self._bar.setRange(0, of)
        for words, sentence in ((self._count, _COUNT), (self._keeps, _KEEPS)):  # they grow and move nothing
            longest = tr(sentence).format(done=figures.number(of), of=figures.number(of))
            words.setMinimumWidth(words.fontMetrics().horizontalAdvance(longest) + 4)
        self.show_done(0, of, "")
        self.setCurrentIndex(1)
        self._stop.setFocus()

    def show_done(self, done: int, of: int, title: str) -> None:
        """Show how many are in, the last one's title, and about how long the others take."""
        said = tr(_COUNT).format(done=figures.number(done), of=figures.number(of))
        self._count.setText(said)
        self._bar.setValue(done)
        self._bar.setAccessibleName(said)
        self._at.show_words(f"{{0}}{_left(time.monotonic() - self._began, done, of)}", title)
        self._keeps.setText(tr(_KEEPS).format(done=figures.number(done)))

    def end(self) -> None:
        self.setCurrentIndex(0)

    @property
    def button(self) -> QPushButton:
        return self._button

    def _waiting_line(self) -> QWidget:
        line = QWidget(self)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(12)
        hint = ElidedLabel(line)
        hint.setFont(theme.font("small"))
        theme.set_look(hint, tone="muted")
        hint.show_words("{0}", tr("The same file again adds only what is new."))
        row.addWidget(hint, 1)
        row.addWidget(self._cancel)
        row.addWidget(self._button)
        return line

    def _running_line(self) -> QWidget:
        line = QWidget(self)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(12)
        row.addWidget(self._count)
        row.addWidget(self._bar)
        row.addWidget(self._at, 1)
        row.addWidget(self._stop)
        row.addWidget(self._keeps)
        return line


def _left(seconds: float, done: int, of: int) -> str:
    """Return ` · about 20 s`, once that can be said."""
    if seconds < 2 or not done or done >= of:
        return ""
    left = seconds / done * (of - done)
    if left < 90:
        return " · " + tr("about {seconds} s").format(seconds=figures.number(max(1, round(left))))
    return " · " + tr("about {minutes} min").format(minutes=figures.number(round(left / 60)))
