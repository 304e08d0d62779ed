"""The raw form of a context: the request as the provider gets it, and what assembling it told."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from loomapp.core.context.assembly import Assembled, to_json
from loomapp.core.context.report import counted
from loomapp.core.errors import LoomError
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.labels import PlainView, label
from loomapp.ui.widgets.layouts import fill, vertical

# Line ends and spaces of another kind, what is not seen, and what turns the direction of the others round.
_UNSEEN = (0x85, 0xA0, 0xAD, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x2030), *range(0x2066, 0x206A), 0xFEFF)
UNSEEN = {code: f"\\u{code:04x}" for code in (*_UNSEEN, 0xFDD0, 0xFDD1, 0xFFFC)}
REQUEST, REPORT = range(2)
TABS_PX = 30
MANY = 500  # nodes, of which a text is written on a thread


class RawPage(QWidget):
    """Two texts, one at a time, each written when it is looked at: of a long path both name every node.
    Without a request there is only the report. Its parts are made when it is first shown.
    """

    turned = Signal()  # the other text is shown

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts: tuple[_Text | None, _Text | None] = (None, None)  # request, report
        self._of: Assembled | None = None  # that the report is of
        self._task: BackgroundTask | None = None
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

    def show_texts(
        self, request: Callable[[], str] | None, reported: Assembled | None, note: str = ""
    ) -> None:
        """Show a request as it is written, and the report of what it is of; `note` says what the request
        is.
        """
        if not self._is_built:
            self._build()
        is_long = reported is not None and counted(reported.report).whole > MANY
        report = self._texts[REPORT]
        if reported is not self._of:
            self._of = reported
            report = None if reported is None else _Text(partial(report_text, reported), is_long)
        self._texts = (None if request is None else _Text(request, is_long), report)
        self._note.setText(note)
        self._tabs.setVisible(request is not None and reported is not None)
        self._show()

    @property
    def view(self) -> PlainView:
        return self._views[self._shown]

    @property
    def text(self) -> str:
        """Return all of the text that is looked at, however much of it is shown."""
        text = self._texts[self._shown]
        return "" if text is None else text.written()

    @property
    def _shown(self) -> int:
        if self._texts[REQUEST] is None:
            return REPORT
        return REQUEST if self._of is None else self._tabs.currentIndex()

    def on_tab_changed(self) -> None:
        self._show()
        self.turned.emit()

    def _show(self) -> None:
        shown = self._shown
        self._note.setVisible(shown == REQUEST and bool(self._note.text()))
        self._pages.setCurrentIndex(shown)
        text = self._texts[shown]
        if text is not None and text.is_long and text.words is None:
            self._begin_to_write(text)
        else:
            self._views[shown].show_text(self.text)

    def _begin_to_write(self, text: _Text) -> None:
        """Write it beside the window, after what is being written; the last one stays in view until then."""
        if self._task is None:
            self._task = BackgroundTask(lambda _progress: text.write(), self)
            self._task.done.connect(partial(self.on_written, text))
            self._task.failed.connect(lambda error: self.on_written(text, told(error.message)))
            self._task.start()

    def on_written(self, text: _Text, words: str) -> None:
        """Show what was written, or have written what is looked at by now."""
        text.words = words
        if self._task is not None:
            self._task.deleteLater()
            self._task = None
        self._show()  # also where nobody looks now: nothing calls for it again when the page is seen
        self.turned.emit()

    def event(self, event: QEvent) -> bool:
        """Give the keyboard to the text that is looked at."""
        if event.type() == QEvent.Type.FocusIn and self._is_built:
            self.view.setFocus()
        return super().event(event)


class _Text:
    """Text that is written when it is wanted."""

    def __init__(self, write: Callable[[], str], is_long: bool) -> None:
        self.write, self.is_long = write, is_long
        self.words: str | None = None

    def written(self) -> str:
        if self.words is None:
            try:
                self.words = self.write()
            except LoomError as error:
                self.words = told(error.message)
        return self.words


def report_text(assembled: Assembled) -> str:
    """Return the whole context as JSON for reading: what `loomapp assemble` prints."""
    return json_text(to_json(assembled))


def json_text(value: object) -> str:
    """A JSON value for reading. What a text widget would show as something else, or not at all, is spelt out:
    it is read back as it was.
    """
    return json.dumps(value, ensure_ascii=False, indent=2).translate(UNSEEN)
