"""The raw form of a context: the request as the provider gets it, and what assembling it told."""

from __future__ import annotations

import json

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from loomapp.core.context.assembly import Assembled, to_json
from loomapp.core.context.report import counted
from loomapp.core.progress import Progress
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import PlainView, label
from loomapp.ui.widgets.layouts import fill, vertical

# Line ends and spaces of another kind, what is not seen, and what turns the direction of the others round.
_UNSEEN = (0x85, 0xA0, 0xAD, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x2030), *range(0x2066, 0x206A), 0xFEFF)
UNSEEN = {code: f"\\u{code:04x}" for code in (*_UNSEEN, 0xFDD0, 0xFDD1, 0xFFFC)}
REQUEST, REPORT = range(2)
TABS_PX = 30
MANY = 2_000  # nodes, of which a report is written on a thread


class RawPage(QWidget):
    """Two texts, one at a time. Without a request there is only the report, which is written when it is
    looked at: of a long path it names every node. Its parts are made when it is first shown.
    """

    turned = Signal()  # the other text is shown

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._request = ""
        self._report: str | None = ""  # None: it was not written yet
        self._of: Assembled | None = None  # that the report is of
        self._task: BackgroundTask | None = None
        self._has_request = False
        self._is_built = False

    def _build(self) -> None:
        self._is_built = True
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("rawTabs")
        self._tabs.setAccessibleName(tr("Raw form"))
        self._tabs.setExpanding(False)
        self._tabs.setDrawBase(False)
        self._tabs.setFixedHeight(TABS_PX)
        self._tabs.addTab(tr("Request"))
        self._tabs.addTab(tr("Report"))
        theme.set_look(self._tabs, compact=True)
        self._note = label("", "small", "muted", wrap=True, name="rawNote")
        self._views = (PlainView(tr("The request as JSON")), PlainView(tr("The context as JSON")))
        self._pages = QStackedWidget(self)
        for name, view in zip(("rawRequest", "rawContext"), self._views, strict=True):
            view.setObjectName(name)
            self._pages.addWidget(view)
        column = vertical(self, (12, 4, 12, 10), spacing=6)
        fill(column, self._tabs, self._note)
        column.addWidget(self._pages, 1)
        self._tabs.currentChanged.connect(self.on_tab_changed)

    def show_texts(self, request: str | None, reported: Assembled | None, note: str = "") -> None:
        """Show a request, and the report of what it is of; `note` says what the request is."""
        if not self._is_built:
            self._build()
        self._has_request = request is not None
        self._request = request or ""
        if reported is not self._of:
            self._leave_errand()
            self._of, self._report = reported, None
        self._note.setText(note)
        self._tabs.setVisible(self._has_request and reported is not None)
        self._show()

    @property
    def view(self) -> PlainView:
        return self._views[self._shown]

    @property
    def text(self) -> str:
        """Return all of the text that is looked at, however much of it is shown."""
        return self._request if self._shown == REQUEST else self._written()

    @property
    def _shown(self) -> int:
        if not self._has_request:
            return REPORT
        return REQUEST if self._of is None else self._tabs.currentIndex()

    def on_tab_changed(self) -> None:
        self._show()
        self.turned.emit()

    def _show(self) -> None:
        shown = self._shown
        self._note.setVisible(shown == REQUEST and bool(self._note.text()))
        self._pages.setCurrentIndex(shown)
        if shown == REQUEST:
            self._views[REQUEST].show_text(self._request)
        elif self._of is not None and self._report is None and counted(self._of.report).whole > MANY:
            self._begin_to_write(self._of)
        else:
            self._views[REPORT].show_text(self._written())

    def _written(self) -> str:
        """Return the report, written now if it was not yet."""
        if self._report is None:
            self._leave_errand()
            self._report = "" if self._of is None else report_text(self._of)
        return self._report

    def _begin_to_write(self, of: Assembled) -> None:
        """Write the page beside the window; the last one stays in view until this one is done."""
        if self._task is not None:
            return

        def work(_progress: Progress) -> str:
            return report_text(of)

        self._task = BackgroundTask(work, self)
        self._task.done.connect(self.on_written)
        self._task.start()

    def _leave_errand(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task.deleteLater()
            self._task = None

    def on_written(self, report: str) -> None:
        self._leave_errand()
        self._report = report
        if self._shown == REPORT:
            self._views[REPORT].show_text(report)

    def event(self, event: QEvent) -> bool:
        """Give the keyboard to the text that is looked at."""
        if event.type() == QEvent.Type.FocusIn and self._is_built:
            self.view.setFocus()
        return super().event(event)


def report_text(assembled: Assembled) -> str:
    """Return the whole context as JSON for reading: what `loomapp assemble` prints."""
    return json_text(to_json(assembled))


def json_text(value: object) -> str:
    """A JSON value for reading. What a text widget would show as something else, or not at all, is spelt out:
    it is read back as it was.
    """
    return json.dumps(value, ensure_ascii=False, indent=2).translate(UNSEEN)
