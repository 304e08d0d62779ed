"""The one row at the top: mark, menus, history, New, search, the agent that is asked, theme."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QFontMetrics,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QLabel,
    QMenu,
    QMenuBar,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from loomapp.ui.agents.picker import AgentPicker
from loomapp.ui.keys import MENUS, Actions, action_button, first_shown, show_keys, with_key
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import FocusOrigin
from loomapp.ui.widgets.layouts import horizontal
from loomapp.ui.widgets.page import Menu

WIDEST_PX, NARROWEST_PX = 392, 160
ICON_PX = 16
PADDING_PX = 9
HEIGHT_PX = 44
NARROW_PX = 1100
# With Alt and the letter behind the & a menu opens.
MENU_LETTERS = {name: f"&{name}" for name in MENUS} | {"Generate": "Gene&rate"}
TIGHT_PX = 760


class SearchField(QAbstractButton):
    """Icon, words, and the key that does the same; only the icon where there is no room."""

    def __init__(self, action: QAction, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("paletteField")
        self._action = action
        self._is_icon = False
        self.setAccessibleName(action.text().rstrip("…"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(theme.px("control.height"))
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.clicked.connect(action.trigger)
        self.show_as_icon(False)

    def show_as_icon(self, is_icon: bool) -> None:
        self._is_icon = is_icon
        self.setCursor(Qt.CursorShape.ArrowCursor if is_icon else Qt.CursorShape.IBeamCursor)
        self.setToolTip(self._tip())
        policy = QSizePolicy.Policy.Fixed if is_icon else QSizePolicy.Policy.Expanding
        self.setSizePolicy(policy, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(theme.px("control.height") if is_icon else NARROWEST_PX)
        self.setMaximumWidth(theme.px("control.height") if is_icon else WIDEST_PX)
        self.update()

    def sizeHint(self) -> QSize:
        height = theme.px("control.height")
        return QSize(height if self._is_icon else WIDEST_PX, height)

    def show_keys(self) -> None:
        self.setToolTip(self._tip())
        self.update()

    def _tip(self) -> str:
        return with_key(self.accessibleName(), self._keys())

    def _keys(self) -> str:
        return first_shown(self._action.shortcuts())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        focused = self.hasFocus()
        edge = "accent.focus" if focused else "border.strong"
        width = theme.metric("control.focus_width") if focused else 1.0
        painter.setPen(QPen(theme.colour(edge if focused or not self._is_icon else "surface.window"), width))
        painter.setBrush(theme.colour("surface.hover" if self.underMouse() else self._ground()))
        half = width / 2
        radius = theme.metric("radius.control")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), radius, radius)
        left = (self.width() - ICON_PX) / 2 if self._is_icon else PADDING_PX
        theme.paint(
            painter, "search", "text.secondary", QRectF(left, (self.height() - ICON_PX) / 2, ICON_PX, ICON_PX)
        )
        if not self._is_icon:
            self._paint_words(painter)
        painter.end()

    def _ground(self) -> str:
        return "surface.window" if self._is_icon else "surface.raised"

    def _paint_words(self, painter: QPainter) -> None:
        small = theme.font("caption")
        keys = self._keys()
        key_width = QFontMetrics(small).horizontalAdvance(keys)
        box = self.rect().adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        painter.setPen(theme.colour("text.muted"))
        painter.setFont(small)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys)
        painter.setFont(theme.font("ui"))
        room = box.adjusted(ICON_PX + 8, 0, -key_width - 8, 0)
        words = self.tr("Search, or type > for a command")
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)


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
        self.came_from = FocusOrigin(self)
        self.menu_bar = _menu_bar(actions, self)
        self._back = action_button(actions, "visitBack", "", self)
        self._forward = action_button(actions, "visitForward", "", self)
        self._new = action_button(actions, "newDialogue", self.tr("New"), self)
        self.search = SearchField(actions.by_name["commandPaletteAction"], self)
        self._theme = action_button(actions, "toggleTheme", "", self)
        self._settings = action_button(actions, "settings", "", self)
        self.agents = AgentPicker(self)
        row = horizontal(self, (12, 0, 12, 0), spacing=8)
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
        for letter in self._letters:
            letter.setEnabled(folded)
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
        menu = Menu(button)
        menu.setObjectName("foldedMenus")
        menu.addActions(self.menu_bar.actions())
        button.clicked.connect(lambda: self._open(menu))
        button.hide()
        self._letters = [  # of menus in a bar Qt knows them itself
            QShortcut(QKeySequence.mnemonic(action.text()), self, partial(self._open, inner))
            for action in self.menu_bar.actions()
            if isinstance(inner := action.menu(), QMenu)
        ]
        return button

    def _open(self, menu: QMenu) -> None:
        """Open a menu below the button that the menus are folded into."""
        menu.popup(self._menus.mapToGlobal(self._menus.rect().bottomLeft()))
        menu.setActiveAction(menu.actions()[0])

    def open_menus(self) -> None:
        """Open the first menu, from which the arrows lead to the others."""
        if self.menu_bar.isVisible():
            self.menu_bar.setActiveAction(self.menu_bar.actions()[0])
        else:
            self._menus.click()

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
        menu = Menu(tr(MENU_LETTERS[name]), bar)
        menu.setObjectName(f"menu{name}")
        actions.fill(menu, name)
        bar.addMenu(menu)
    return bar
