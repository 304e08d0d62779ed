"""The raw form of a context: the request as the provider gets it, and what assembling it told."""

from __future__ import annotations

import json

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from loomapp.core.context.assembly import Assembled, to_json
from loomapp.ui.inspector.plain_view import PlainView
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.form import label

# Line ends and spaces of another kind, what is not seen, and what turns the direction of the others round.
_UNSEEN = (0x85, 0xA0, 0xAD, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x2030), *range(0x2066, 0x206A), 0xFEFF)
UNSEEN = {code: f"\\u{code:04x}" for code in (*_UNSEEN, 0xFDD0, 0xFDD1, 0xFFFC)}
REQUEST, REPORT = range(2)
TABS_PX = 30


class RawPage(QWidget):
    """Two texts, one at a time. Without a request there is only the report."""

    turned = Signal()  # the other text is shown

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts = ["", ""]
        self._has_request = False
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("rawTabs")
        self._tabs.setAccessibleName(tr("Raw form"))
        self._tabs.setExpanding(False)
        self._tabs.setDrawBase(False)
        self._tabs.setFixedHeight(TABS_PX)
        self._tabs.addTab(tr("Request"))
        self._tabs.addTab(tr("Report"))
        theme.set_look(self._tabs, compact=True)
        self._note = label("", "small", "muted", wrap=True)
        self._note.setObjectName("rawNote")
        self._views = (PlainView(tr("The request as JSON")), PlainView(tr("The context as JSON")))
        self._pages = QStackedWidget(self)
        for name, view in zip(("rawRequest", "rawContext"), self._views, strict=True):
            view.setObjectName(name)
            self._pages.addWidget(view)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 4, 12, 10)
        column.setSpacing(6)
        for widget in (self._tabs, self._note):
            column.addWidget(widget)
        column.addWidget(self._pages, 1)
        self._tabs.currentChanged.connect(self.on_tab_changed)

    def show_texts(self, request: str | None, report: str, note: str = "") -> None:
        """Show both; `note` says what the request is."""
        self._has_request = request is not None
        self._texts = [request or "", report]
        self._note.setText(note)
        self._tabs.setVisible(self._has_request and bool(report))
        self._show()

    @property
    def view(self) -> PlainView:
        """The text that is looked at."""
        return self._views[self._shown]

    @property
    def text(self) -> str:
        """All of what is looked at, however much of it is shown."""
        return self._texts[self._shown]

    @property
    def _shown(self) -> int:
        if not self._has_request:
            return REPORT
        return REQUEST if not self._texts[REPORT] else self._tabs.currentIndex()

    def on_tab_changed(self) -> None:
        """The other one."""
        self._show()
        self.turned.emit()

    def _show(self) -> None:
        shown = self._shown
        self._note.setVisible(shown == REQUEST and bool(self._note.text()))
        self._pages.setCurrentIndex(shown)
        self._views[shown].show_text(self._texts[shown])

    def event(self, event: QEvent) -> bool:
        """The keyboard goes to the text that is looked at."""
        if event.type() == QEvent.Type.FocusIn:
            self.view.setFocus()
        return super().event(event)


def report_text(assembled: Assembled) -> str:
    """The whole context as JSON for reading: what `loomapp assemble` prints."""
    return json_text(to_json(assembled))


def json_text(value: object) -> str:
    """A JSON value for reading. What a text widget would show as something else, or not at all, is spelt out:
    it is read back as it was.
    """
    return json.dumps(value, ensure_ascii=False, indent=2).translate(UNSEEN)
