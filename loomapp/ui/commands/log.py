"""The log in the window: the failed calls of this session in full, and what Loomapp noted, without keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from loomapp import __version__, logs
from loomapp.core.errors import server_words
from loomapp.session.lifetime.crashes import CrashReport, machine
from loomapp.session.requests.ended_answers import MOST_CALLS, FailedCall
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.widgets.keyboard import WordKeys
from loomapp.ui.widgets.page import Page
from loomapp.ui.workbench import Workbench

LINES = 500
BELOW_PX = 24
BORDER_PX = 4
LIST_PX = 132  # of the failed calls, above the text of the one that is chosen


class LogPage(Page):
    """Stands in the graph's place: some texts, of which one is shown; several are chosen from a list. Nothing
    can be changed in it; all of it can be selected and copied.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("logPage", tr("Log"), parent)
        self._title, self._said = QLabel(self), QLabel(self)
        self._title.setFont(theme.font("title"))
        self._said.setWordWrap(True)
        for words in (self._title, self._said):
            words.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_look(self._said, tone="muted")
        self._texts: Sequence[tuple[str, str]] = ()
        self.list = QListWidget(self)
        self.list.setObjectName("failedCalls")
        self.list.setAccessibleName(tr("Failed calls, and the log"))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self.on_row_changed)
        WordKeys(self.list)
        self.field = QPlainTextEdit(self)
        self.field.setObjectName("logText")
        self.field.setAccessibleName(tr("Log"))
        self.field.setReadOnly(True)
        self.field.setTabChangesFocus(True)
        self.field.setFont(theme.font("mono"))
        self._copy = QPushButton(tr("Copy"), self)
        self._copy.setObjectName("copyReportButton")
        self._copy.clicked.connect(self.on_copy_clicked)
        self._lay_out()
        self.setFocusProxy(self.field)

    def show_texts(self, title: str, said: str, texts: Sequence[tuple[str, str]], row: int = 0) -> None:
        """Show one of some texts, each with the words of its row."""
        self._title.setText(title)
        self._said.setText(said)
        self._texts = texts
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([words for words, _ in texts])
        self.list.setCurrentRow(row)
        self.list.blockSignals(False)
        self.list.setVisible(len(texts) > 1)
        rows = (self.list.sizeHintForRow(row) for row in range(min(len(texts), LIST_PX)))
        self.list.setFixedHeight(min(LIST_PX, sum(rows) + 2 * self.list.frameWidth() + BORDER_PX))
        self.on_row_changed(row)

    def on_row_changed(self, row: int) -> None:
        self.field.setPlainText(self._texts[row][1])
        if row == len(self._texts) - 1:
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
        self.frame(column, below_px=BELOW_PX)
        column.setSpacing(theme.px("space.s"))
        column.addLayout(self.head(self._title, "closeLogButton"))
        column.addWidget(self._said)
        column.addSpacing(theme.px("space.s"))
        column.addWidget(self.list)
        column.addWidget(self.field, 1)
        column.addLayout(buttons)


def show_log(bench: Workbench) -> None:
    """Show the log as it is now, behind the calls that failed."""
    _show(bench, "")


def show_call(bench: Workbench, key: str) -> None:
    """Show in full the failed call of a draft."""
    _show(bench, key)


def _show(bench: Workbench, key: str) -> None:
    calls = list(reversed(bench.work.generator.answers.failed_answers.calls))
    said = tr("The newest lines of {file}, without keys and texts.")
    said = said.format(file=logs.redacted(str(logs.log_file())))
    if calls:
        said = f"{tr('Calls that failed since Loomapp was started, the newest first, and the log.')} {said}"
    facts = f"Loomapp {__version__}\n{machine()}"
    text = logs.redacted("\n\n".join((facts, logs.excerpt(LINES) or tr("Nothing was noted yet."))))
    texts = [*((row_words(call), call_words(call)) for call in calls), (tr("Log"), text)]
    row = next((row for row, call in enumerate(calls) if key.rpartition(":")[0] == call.key), len(calls))
    if key and row == len(calls):
        missing = tr("This call is not here any more: only the newest {count} are kept.")
        said = f"{missing.format(count=figures.number(MOST_CALLS))} {said}"
    _show_texts(bench, tr("Log"), said, texts, row)


def row_words(call: FailedCall) -> str:
    """`11:54 · Claude Sonnet, anthropic:claude-1 · 429 · “Too many requests.” · req_17`: a failed call in a
    line.
    """
    happened = server_words(call.error) or told(call.error.message)
    return unsteered(
        " · ".join((figures.moment(call.at), f"{call.agent_name}, {call.model_ref}", happened)).replace(
            "\n", " "
        )
    )


def call_words(call: FailedCall) -> str:
    """Return all facts of a failed call, a line each, as they are passed on to whoever runs the server."""
    details = call.error.details
    facts = (
        (tr("What happened"), told(call.error.message)),
        (tr("The server says"), details.get("said")),
        (tr("Status"), details.get("status")),
        (tr("Request id"), details.get("requestId")),
        (tr("Endpoint"), details.get("provider")),
        (tr("Model"), call.model_ref),
        (tr("Agent"), call.agent_name),
        (tr("When"), figures.exact_moment(call.at)),
        (tr("Kind of error"), call.error.code),
        (tr("Answer, its beginning"), details.get("excerpt")),
    )
    return unsteered("\n".join(f"{name}: {value}" for name, value in facts if value))


def show_report(bench: Workbench, report: CrashReport) -> None:
    said = tr("What Loomapp noted before it ended. Keys and texts are left out, so that you can pass it on.")
    show_text(bench, tr("The last session"), said, report.text)


def show_text(bench: Workbench, title: str, said: str, text: str) -> None:
    """Show a page with a text that can be copied."""
    _show_texts(bench, title, said, [(title, text)])


def _built(bench: Workbench) -> LogPage:
    page = LogPage(bench.views.pages)
    page.close_asked.connect(bench.views.pages.show_graph)
    bench.views.pages.addWidget(page)
    return page


def _show_texts(
    bench: Workbench, title: str, said: str, texts: Sequence[tuple[str, str]], row: int = 0
) -> None:
    page = bench.parts.one(LogPage, partial(_built, bench))
    page.show_texts(title, said, texts, row)
    bench.views.pages.show_instead(page)
    page.setFocus()
