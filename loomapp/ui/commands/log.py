"""The log in the window: what Loomapp noted of itself, without keys and without a word that anybody wrote."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from loomapp import __version__, logs
from loomapp.session.lifetime.crashes import CrashReport, machine
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.widgets.page import Page
from loomapp.ui.workbench import Workbench

LINES = 500
MARGIN_PX, TOP_PX, BELOW_PX = 32, 28, 24


class LogPage(Page):
    """Stands in the graph's place. Nothing can be changed in it; all of it can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("logPage", tr("Log"), parent)
        self._title, self._said = QLabel(self), QLabel(self)
        self._title.setFont(theme.font("title"))
        self._said.setWordWrap(True)
        for words in (self._title, self._said):
            words.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_look(self._said, tone="muted")
        self.field = QPlainTextEdit(self)
        self.field.setObjectName("logText")
        self.field.setAccessibleName(tr("Log"))
        self.field.setReadOnly(True)
        self.field.setTabChangesFocus(True)
        self.field.setFont(theme.font("mono"))
        self._copy = QPushButton(tr("Copy report"), self)
        self._copy.setObjectName("copyReportButton")
        self._copy.clicked.connect(self.on_copy_clicked)
        self._lay_out()
        self.setFocusProxy(self.field)

    def show_text(self, title: str, said: str, text: str) -> None:
        self._title.setText(title)
        self._said.setText(said)
        self.field.setPlainText(text)
        self.field.moveCursor(self.field.textCursor().MoveOperation.End)

    def on_copy_clicked(self) -> None:
        copy_words(self.field.toPlainText())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "field"):
            self.field.setFont(theme.font("mono"))

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self._copy)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, TOP_PX, MARGIN_PX, BELOW_PX)
        column.setSpacing(theme.px("space.s"))
        column.addLayout(self.head(self._title, "closeLogButton"))
        column.addWidget(self._said)
        column.addSpacing(theme.px("space.s"))
        column.addWidget(self.field, 1)
        column.addLayout(buttons)


def show_log(bench: Workbench) -> None:
    """Show the log as it is now."""
    said = tr("The newest lines of {file}, without keys and texts.")
    facts = f"Loomapp {__version__}\n{machine()}"
    text = logs.redacted("\n\n".join((facts, logs.excerpt(LINES) or tr("Nothing was noted yet."))))
    show_text(bench, tr("Log"), said.format(file=logs.redacted(str(logs.log_file()))), text)


def show_report(bench: Workbench, report: CrashReport) -> None:
    said = tr("What Loomapp noted before it ended. Keys and texts are left out, so that you can pass it on.")
    show_text(bench, tr("The last session"), said, report.text)


def _built(bench: Workbench) -> LogPage:
    page = LogPage(bench.views.pages)
    page.close_asked.connect(bench.views.pages.show_graph)
    bench.views.pages.addWidget(page)
    return page


def show_text(bench: Workbench, title: str, said: str, text: str) -> None:
    """Show a page with a text that can be copied."""
    page = bench.parts.one(LogPage, partial(_built, bench))
    page.show_text(title, said, text)
    bench.views.pages.show_instead(page)
    page.setFocus()
