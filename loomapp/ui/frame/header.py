"""The one row at the top: mark, menus, history, New, search, the agent that is asked, theme."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QMenuBar,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from loomapp.ui.agents.picker import AgentPicker
from loomapp.ui.keys.actions import MENUS, Actions
from loomapp.ui.keys.button import ICON_PX, action_button, show_keys
from loomapp.ui.look import theme
from loomapp.ui.palette.search_field import SearchField
from loomapp.ui.strings import tr

HEIGHT_PX = 44
NARROW_PX = 1100
TIGHT_PX = 760


class Header(QWidget):
    """Menus and the agent picker in one row; with a system menu bar the menus go there."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setFixedHeight(HEIGHT_PX)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(self, surface="window")
        self._mark = QLabel(self)
        self._mark.setTextFormat(Qt.TextFormat.PlainText)
        self._mark.setFixedSize(QSize(24, 24))
        self._mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.menu_bar = _menu_bar(actions, self)
        self._back = action_button(actions, "visitBack", "", self)
        self._forward = action_button(actions, "visitForward", "", self)
        self._new = action_button(actions, "newDialogue", self.tr("New"), self)
        self.search = SearchField(actions.by_name["commandPaletteAction"], self)
        self._theme = action_button(actions, "toggleTheme", "", self)
        self._settings = action_button(actions, "settings", "", self)
        self.agents = AgentPicker(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        self._menus = self._menu_button()
        line = _upright(self)
        left: tuple[QWidget, ...] = (
            self._mark,
            self.menu_bar,
            self._menus,
            line,
            self._back,
            self._forward,
            self._new,
        )
        right: tuple[QWidget, ...] = (self.agents, _upright(self), self._theme, self._settings)
        for widget in left:
            row.addWidget(widget)
        row.addWidget(self.search, 4)
        row.addStretch(3)
        for widget in right:
            row.addWidget(widget)
        self._paint_icons()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Under 1,100 px the menus fold into a button and the search into its icon; the row stays one row."""
        super().resizeEvent(event)
        folded = event.size().width() < NARROW_PX
        self.menu_bar.setVisible(not folded)
        self._menus.setVisible(folded)
        self.search.show_as_icon(folded)
        style = Qt.ToolButtonStyle
        tight = event.size().width() < TIGHT_PX
        self._new.setToolButtonStyle(style.ToolButtonIconOnly if tight else style.ToolButtonTextBesideIcon)

    def _menu_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("menuButton")
        button.setAutoRaise(True)
        button.setIconSize(QSize(ICON_PX, ICON_PX))
        button.setAccessibleName(self.tr("Menu"))
        button.setToolTip(self.tr("Menu"))
        menu = QMenu(button)
        menu.setObjectName("foldedMenus")
        menu.addActions(self.menu_bar.actions())
        button.clicked.connect(lambda: menu.popup(button.mapToGlobal(button.rect().bottomLeft())))
        button.hide()
        return button

    def show_keys(self) -> None:
        show_keys(self)
        self.search.show_keys()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_theme"):
            self._paint_icons()

    def _paint_icons(self) -> None:
        self._mark.setPixmap(theme.pixmap("split", "accent.base", 20, self.devicePixelRatioF()))
        self._menus.setIcon(theme.icon("menu", role="text.secondary", size=ICON_PX))
        for button, arrow in ((self._back, "arrow-left"), (self._forward, "arrow-right")):
            button.setIcon(theme.icon(arrow, role="text.secondary", size=ICON_PX))
        self._new.setIcon(theme.icon("plus", role="text.secondary", size=ICON_PX))
        name = "moon" if theme.current_name() == "dark" else "sun"
        self._theme.setIcon(theme.icon(name, role="text.secondary", size=ICON_PX))
        self._settings.setIcon(theme.icon("settings", role="text.secondary", size=ICON_PX))


def _upright(parent: QWidget) -> QFrame:
    line = QFrame(parent)
    line.setFixedHeight(20)
    theme.set_look(line, line="upright")
    return line


def _menu_bar(actions: Actions, parent: QWidget) -> QMenuBar:
    bar = QMenuBar(parent)
    bar.setObjectName("menuBar")
    bar.setAccessibleName(tr("Menus"))
    bar.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
    for name in MENUS:
        menu = bar.addMenu(tr(name))
        menu.setObjectName(f"menu{name}")
        actions.fill(menu, name)
    return bar
