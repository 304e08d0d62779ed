"""Row of the key that calls over HTTP show: hidden until it is wanted, and made anew."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.clipboard import copy
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.rows import Row

HIDDEN = "••••••••"


class HttpKeyRow(Row):
    """The key is asked for by a signal, and shown by `show_key`."""

    key_asked = Signal(bool)  # whether another one is to be made

    def __init__(self, parent: QWidget) -> None:
        title = tr("Key for HTTP")
        hint = tr("Every call over HTTP shows it: Authorization: Bearer and the key. A new one ends the old")
        super().__init__(title, hint, parent)
        self.searched = f"{title} {hint}"
        self.is_of_use = False  # while HTTP is switched on
        self._key = label(HIDDEN, "mono", name="httpKey")
        self._show = push_button("showHttpKey", tr("Show"), self, kind="link")
        self._show.clicked.connect(self._on_show)
        self._copy = push_button("copyHttpKey", tr("Copy"), self, kind="link")
        self._copy.setAccessibleName(tr("Copy: {title}").format(title=title))
        self._copy.clicked.connect(lambda: copy(self._key.text()))
        self._new = push_button("newHttpKey", tr("New key"), self, kind="link")
        self._new.clicked.connect(lambda: self.key_asked.emit(True))
        for part in (self._key, self._show, self._copy, self._new):
            self.flow.addWidget(part)
        self.show_key("")

    def show_key(self, key: str) -> None:
        """Show a key, or hide it again where there is none."""
        self._key.setText(key or HIDDEN)
        self._copy.setVisible(bool(key))
        self._show.setText(tr("Hide") if key else tr("Show"))

    def set_of_use(self, is_on: bool) -> None:
        """Be there only while HTTP is switched on."""
        self.is_of_use = is_on
        self.setVisible(is_on)
        if not is_on:
            self.show_key("")

    def _on_show(self) -> None:
        if self._key.text() == HIDDEN:
            self.key_asked.emit(False)
        else:
            self.show_key("")
