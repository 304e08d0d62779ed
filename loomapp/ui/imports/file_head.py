"""The head of the import page: the file, the format it was recognised as, and a menu of the others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.labels import IconLabel, label, set_tip
from loomapp.ui.widgets.page import Menu

NARROW_HEAD_PX = 420
LEAST_NAME_PX = 80
_PLACES = re.compile(r"\{(title|file|size)\}")


class FileTitle(QWidget):
    """One line with a format and a file in strong letters; where there is no room, its size goes first, then
    the name is cut off.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("importFileTitle")
        self._sentence = "{file}"
        self._said = {"title": "", "file": "", "size": ""}
        self.setFixedHeight(QFontMetrics(theme.font("ui_strong")).height())

    def show_names(self, names: Sequence[str]) -> None:
        """Show the names of files that are not read yet."""
        self._show("{file}", "", ", ".join(names), "")

    def show_file(self, title: str, file: str, size: str) -> None:
        self._show(tr("{title} in {file} {size}"), title, file, size)

    def _show(self, sentence: str, title: str, file: str, size: str) -> None:
        self._sentence, self._said = sentence, {"title": title, "file": file, "size": size}
        self.setAccessibleName(sentence.format(title=title, file=file, size=size))
        set_tip(self, file)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        strong, plain = (QFontMetrics(theme.font(name)) for name in ("ui_strong", "ui"))
        said = dict(self._said)
        parts = _PLACES.split(self._sentence)  # words and the names of places, by turns
        between = sum(plain.horizontalAdvance(words) for words in parts[::2])
        room = self.width() - between - strong.horizontalAdvance(said["title"])
        if room - plain.horizontalAdvance(said["size"]) < LEAST_NAME_PX:
            said["size"] = ""
        room -= plain.horizontalAdvance(said["size"])
        said["file"] = strong.elidedText(unsteered(said["file"]), Qt.TextElideMode.ElideMiddle, room)
        painter, x = QPainter(self), 0
        for number, part in enumerate(parts):
            is_strong = number % 2 == 1 and part != "size"
            words = said[part] if number % 2 else part
            painter.setFont(theme.font("ui_strong" if is_strong else "ui"))
            painter.setPen(theme.colour("text.primary" if is_strong else "text.muted"))
            painter.drawText(x, strong.ascent(), words)
            x += (strong if is_strong else plain).horizontalAdvance(words)
        painter.end()


class FileHead(QFrame):
    """A box with a check once a format was recognised, and a menu to read the file as another one."""

    format_asked = Signal(str)

    def __init__(self, formats: Sequence[tuple[str, str]], parent: QWidget) -> None:
        """`formats` are the names and titles of those that are read."""
        super().__init__(parent)
        self.setObjectName("importFile")
        self._recognised = ""
        self._icon = IconLabel("file-text", "text.muted", 20)
        self._title = FileTitle(self)
        self._why = label("", "small", "secondary", wrap=True)
        self._why.setObjectName("importWhy")
        self._read_as = QPushButton(tr("Read as…"), self)
        self._read_as.setObjectName("importReadAs")
        menu = Menu(self._read_as)
        self._group = QActionGroup(menu)
        for name, title in formats:
            action = menu.addAction(title)
            action.setData(name)
            action.setCheckable(True)
            self._group.addAction(action)
        menu.triggered.connect(lambda action: self.format_asked.emit(action.data()))
        self._read_as.setMenu(menu)
        self.bar = QProgressBar(self)
        self.bar.setObjectName("importReadingBar")
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Reading"))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._title)
        words.addWidget(self._why)
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(12, 10, 12, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self._icon, 0, 0)
        grid.addLayout(words, 0, 1)
        grid.addWidget(self.bar, 2, 0, 1, 3)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        place = (1, 1) if self.width() < NARROW_HEAD_PX else (0, 2)
        self._grid.addWidget(self._read_as, *place, Qt.AlignmentFlag.AlignLeft)

    def begin(self, names: Sequence[str]) -> None:
        self._icon.show_icon("file-text", "text.muted")
        self._title.show_names(names)
        self._why.setText(tr("Reading what is in it…"))
        self._read_as.setEnabled(False)
        self.bar.setRange(0, 0)
        self.bar.show()

    def show_format(self, name: str, title: str, file: str, size: str, why: str) -> None:
        self._icon.show_icon("check", "state.success")
        self._title.show_file(title, file, size)
        said = tr("Recognised by its content: {why}.").format(why=why)
        self._recognised = said
        self.tell_written(is_written=False)
        for action in self._group.actions():
            action.setChecked(action.data() == name)

    def tell_written(self, *, is_written: bool) -> None:
        """Say whether anything of the file is in the grove by now."""
        lines = (self._recognised, "" if is_written else tr("Nothing is written yet."))
        self._why.setText("\n".join(filter(None, lines)))

    def show_progress(self, done: int, of: int) -> None:
        """Show the progress of reading; without a total (`of` is 0) the bar is busy."""
        self.bar.setRange(0, 1000 if of else 0)
        self.bar.setValue(round(1000 * done / of) if of else 0)

    def end(self, fault: str = "") -> None:
        self.bar.setRange(0, 1)
        self.bar.hide()
        self._read_as.setEnabled(True)
        if fault:
            self._icon.show_icon("circle-alert", "state.error")
            self._why.setText(fault)

    @property
    def said(self) -> str:
        return self._why.text()
