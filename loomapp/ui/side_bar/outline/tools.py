"""Buttons in the head of the outline: back to the current row, what is listed, fold and unfold all."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from loomapp.ui.look import theme
from loomapp.ui.side_bar.outline.view import OutlineView
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import icon_button

SIGN_PX = 14


class OutlineTools(QWidget):
    """Three small buttons at the right of the outline's head."""

    def __init__(self, outline: OutlineView, parent: QWidget) -> None:
        super().__init__(parent)
        self._outline = outline
        self._icons: dict[QToolButton, str] = {}
        here = self._add("outlineHere", "locate-fixed", tr("Back to the current row"))
        here.clicked.connect(outline.go_to_current)
        self._filter = self._add("outlineFilter", "list-filter", tr("List all, or only some"))
        self._filter.setMenu(self._filter_menu())
        more = self._add("outlineMore", "ellipsis", tr("Fold and unfold"))
        menu = QMenu(more)
        menu.addAction(tr("Unfold all"), outline.unfold_all)
        menu.addAction(tr("Fold all"), outline.fold_all)
        more.setMenu(menu)
        for button in (self._filter, more):
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for button in self._icons:
            row.addWidget(button)
        self._show_icons()

    def _add(self, name: str, icon: str, words: str) -> QToolButton:
        button = icon_button(name, theme.icon(icon, "text.muted", SIGN_PX), words, self)
        button.setAutoRaise(True)
        self._icons[button] = icon
        return button

    def _filter_menu(self) -> QMenu:
        menu = QMenu(self._filter)
        group = QActionGroup(menu)
        for wanted, words in (
            ("all", tr("All messages")),
            ("branches", tr("With branches")),
            ("bookmarked", tr("Bookmarked")),
            ("mine", tr("Mine")),
        ):
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(wanted == "all")
            action.setData(wanted)
            group.addAction(action)
        group.triggered.connect(lambda action: self.on_wanted(str(action.data())))
        return menu

    def on_wanted(self, wanted: str) -> None:
        """List only some rows; the sign is coloured while that is so."""
        self._outline.list_only(wanted)
        self._show_icons()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_filter"):
            self._show_icons()

    def _show_icons(self) -> None:
        for button, icon in self._icons.items():
            is_filtered = button is self._filter and self._outline.rows.listed != "all"
            button.setIcon(theme.icon(icon, "accent.base" if is_filtered else "text.muted", SIGN_PX))
