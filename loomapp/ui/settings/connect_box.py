"""The box of configurations to copy, a tab for each program, with the place that each belongs into."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QTabBar, QWidget

from loomapp.mcp.client_configuration import ClientConfiguration
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.clipboard import copy
from loomapp.ui.widgets.labels import IconLabel, label, rule
from loomapp.ui.widgets.layouts import horizontal, vertical
from loomapp.ui.widgets.plain_view import PlainView

LINES = 9  # of the text that are seen at once


class ConnectBox(QFrame):
    """Shows the exact text for one program, to be selected or copied."""

    def __init__(self, configurations: Sequence[ClientConfiguration], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("connectBox")
        self._configurations = tuple(configurations)
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("connectTabs")
        self._tabs.setAccessibleName(tr("Program"))
        for one in self._configurations:
            self._tabs.addTab(tr(one.title))
        self._text = PlainView(tr("Configuration"), self)
        self._text.name_field("connectText")
        self._text.set_bare()
        self._text.setFixedHeight(LINES * QFontMetrics(theme.font("mono")).lineSpacing() + 16)
        self._hint = label("", "small", "muted", wrap=True, name="connectHint")
        self._copy = push_button("copyConfiguration", tr("Copy"), self)
        theme.put_beside_words(self._copy, "copy", "text.secondary", 14)
        self._copy.clicked.connect(lambda: copy(self._shown.text))
        head = horizontal(margins=(4, 4, 8, 4), spacing=8)
        head.addWidget(self._tabs)
        head.addStretch(1)
        head.addWidget(self._copy)
        foot = horizontal(margins=(14, 4, 14, 10), spacing=8)
        foot.addWidget(IconLabel("info", "text.muted", 14))
        foot.addWidget(self._hint, 1)
        column = vertical(self, spacing=0)
        column.addLayout(head)
        column.addWidget(rule())
        body = horizontal(margins=(12, 8, 8, 0))
        body.addWidget(self._text)
        column.addLayout(body)
        column.addLayout(foot)
        self._tabs.currentChanged.connect(self.show_one)
        self.show_one(0)

    @property
    def _shown(self) -> ClientConfiguration:
        return self._configurations[self._tabs.currentIndex()]

    def show_one(self, _number: int) -> None:
        """Show the text of the program whose tab is chosen."""
        one = self._shown
        self._text.show_text(one.text)
        self._hint.setText(tr(one.hint))
        self._copy.setAccessibleName(tr("Copy: {title}").format(title=tr(one.title)))
