"""The theme: dark, light or the system's, its palette, style sheet, fonts, icons, and each agent's tint."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Literal, TypeAlias

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QFontDatabase, QPainter, QPalette, QPen
from PySide6.QtWidgets import QApplication, QStyleFactory, QWidget
from shiboken6 import isValid

from loomapp import places
from loomapp.core.model.agent import Agent
from loomapp.core.settings.setting import Settings
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.look import tokens
from loomapp.ui.look.icons import icon, paint, pixmap, put_beside_words, recolour
from loomapp.ui.look.stylesheet import style_sheet
from loomapp.ui.look.tokens import (
    ThemeName,
    colour,
    current_name,
    font,
    line_height,
    metric,
    mixed,
    numbers,
    prose_lead_px,
    prose_width_px,
    px,
    token,
    translucent,
    type_px,
)

__all__ = [
    "Choice",
    "agent_colour",
    "agent_role",
    "apply",
    "change",
    "choice_of",
    "colour",
    "current_name",
    "draw_in",
    "font",
    "icon",
    "line_height",
    "metric",
    "mixed",
    "numbers",
    "paint",
    "paint_row",
    "pixmap",
    "prose_lead_px",
    "prose_width_px",
    "put_beside_words",
    "px",
    "set_look",
    "set_text",
    "smooth_painter",
    "token",
    "translucent",
    "type_px",
    "write_in",
]

Choice: TypeAlias = Literal["dark", "light", "system"]
TINTS = 8
HELD = "heldForTheme"  # the property of a window that is not painted while it changes

PALETTE = (
    (QPalette.ColorRole.Window, "surface.window"),
    (QPalette.ColorRole.WindowText, "text.primary"),
    (QPalette.ColorRole.Base, "surface.raised"),
    (QPalette.ColorRole.AlternateBase, "surface.panel"),
    (QPalette.ColorRole.Text, "text.primary"),
    (QPalette.ColorRole.PlaceholderText, "text.muted"),
    (QPalette.ColorRole.Button, "surface.raised"),
    (QPalette.ColorRole.ButtonText, "text.primary"),
    (QPalette.ColorRole.BrightText, "text.on_accent"),
    (QPalette.ColorRole.Highlight, "accent.fill"),
    (QPalette.ColorRole.HighlightedText, "text.on_accent"),
    (QPalette.ColorRole.Accent, "accent.fill"),
    (QPalette.ColorRole.Link, "text.link"),
    (QPalette.ColorRole.LinkVisited, "text.link"),
    (QPalette.ColorRole.ToolTipBase, "surface.overlay"),
    (QPalette.ColorRole.ToolTipText, "text.primary"),
    (QPalette.ColorRole.Light, "surface.hover"),
    (QPalette.ColorRole.Midlight, "surface.hover"),
    (QPalette.ColorRole.Mid, "border.normal"),
    (QPalette.ColorRole.Dark, "border.strong"),
    (QPalette.ColorRole.Shadow, "surface.canvas"),
)


def choice_of(name: str) -> Choice:
    """Return a theme by the name that the settings have for it."""
    return "dark" if name == "dark" else "light" if name == "light" else "system"


def set_text(settings: Settings) -> None:
    """Take the user's sizes of text; widgets read them when they are made, and where they are told to."""
    tokens.choose_text(
        tokens.TextChoice(
            settings.message_size_px,
            settings.prose_size_px,
            settings.prose_font,
            settings.prose_measure,
            settings.prose_spacing,
        )
    )


def apply(app: QApplication, choice: Choice) -> None:
    """Show a theme in the whole application, now and (for `system`) when the desktop changes its mind."""
    _Wardrobe.of(app).wear(choice)


def change(app: QApplication, choice: Choice) -> None:
    """Change the theme where windows stand: in a few turns of the event loop, shown when it is whole."""
    _Wardrobe.of(app).change(choice)


def palette() -> QPalette:
    result = QPalette()
    for role, name in PALETTE:
        result.setColor(role, colour(name))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, colour("text.disabled"))
    return result


def agent_role(agent: Agent | None) -> str:
    """The role of an agent's tint: the writer is ink; a model has its own, or one made from its id."""
    if agent is None or agent.type == "human":
        return "agent.human"
    chosen = f"agent.{agent.colour}"
    if agent.colour and agent.colour.startswith("a") and agent.colour[1:] in map(str, range(1, TINTS + 1)):
        return chosen
    return f"agent.a{zlib.crc32(agent.id.encode('utf-8', 'surrogatepass')) % TINTS + 1}"


def agent_colour(agent: Agent | None) -> QColor:
    return colour(agent_role(agent))


def set_look(widget: QWidget, **properties: str | bool) -> None:
    """Choose among the looks of the style sheet: kind="primary", tone="muted", surface="panel", …"""
    changed = {name: value for name, value in properties.items() if widget.property(name) != value}
    if not changed:  # polishing costs a millisecond, and pages show themselves anew at every key
        return
    for name, value in changed.items():
        widget.setProperty(name, value)
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):  # else Qt does it when it is shown
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def smooth_painter(widget: QWidget) -> QPainter:
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return painter


def draw_in(painter: QPainter, line: str = "", fill: str = "", *, width: float = 1.0) -> None:
    """Draw from now on with a line and a fill of these roles; with none where no role is given."""
    painter.setPen(QPen(colour(line), width) if line else Qt.PenStyle.NoPen)
    painter.setBrush(colour(fill) if fill else Qt.BrushStyle.NoBrush)


def paint_row(painter: QPainter, row: QRectF, ground: str = "", *, has_ring: bool = False) -> None:
    """Paint what lies below the words of a row: a ground of this role, and the ring of the keyboard."""
    radius = metric("radius.control")
    if ground:
        draw_in(painter, fill=ground)
        painter.drawRoundedRect(row, radius, radius)
    if has_ring:
        draw_in(painter, "accent.focus", width=metric("control.focus_width"))
        painter.drawRoundedRect(row.adjusted(1, 1, -1, -1), radius, radius)


def write_in(painter: QPainter, type_name: str, role: str) -> None:
    """Write from now on in a type of the theme, in the colour of a role."""
    painter.setFont(font(type_name))
    painter.setPen(colour(role))


class _Wardrobe(QObject):
    """Theme of a QApplication: its palette, style sheet and fonts, and their change in steps."""

    NAME = "wardrobe"

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.setObjectName(self.NAME)
        self._app = app
        self._choice: Choice = "system"
        self._worn: ThemeName | None = None
        self._steps: Iterator[None] = iter(())  # of a change that is under way
        self._owed: dict[QWidget, None] = {}  # that are to be laid out once there is a sheet again
        self._next = IdleTimer(self, is_heavy=self._is_seen)
        self._next.timeout.connect(self.on_next)
        load_fonts()
        style = QStyleFactory.create("Fusion")
        app.setStyle(style)
        app.styleHints().colorSchemeChanged.connect(self.on_scheme_changed)

    @classmethod
    def of(cls, app: QApplication) -> _Wardrobe:
        """Return the application's theme, made at its first use."""
        found = app.findChild(_Wardrobe, cls.NAME)
        return found if found is not None else cls(app)

    def wear(self, choice: Choice) -> None:
        self._choose(choice)
        self._put_on()

    def change(self, choice: Choice) -> None:
        """Show a theme in turns, if there is a window that would stand still meanwhile."""
        self._choose(choice)
        if not self._is_seen():
            self._put_on()
        elif self._worn != self._resolved():
            self._hold_windows()
            self._worn = self._resolved()
            tokens.set_current(self._worn)
            self._steps = self._changing()
            self._next.start()

    def _choose(self, choice: Choice) -> None:
        self._choice = choice
        scheme = {"dark": Qt.ColorScheme.Dark, "light": Qt.ColorScheme.Light}.get(choice)
        hints = self._app.styleHints()
        hints.unsetColorScheme() if scheme is None else hints.setColorScheme(scheme)

    def on_next(self) -> None:
        if not self._is_seen():
            self._put_on()
        elif next(self._steps, self) is not self:
            self._next.start()

    def on_scheme_changed(self) -> None:
        if self._choice == "system":
            self._put_on()

    def _put_on(self) -> None:
        """Apply the theme at once, or the rest of a change."""
        if self._worn != self._resolved():
            self._worn = self._resolved()
            tokens.set_current(self._worn)
            self._steps = self._changing()
        for _ in self._steps:
            pass

    def _changing(self) -> Iterator[None]:
        recolour()
        self._app.setPalette(palette())
        self._app.setFont(font("ui"))
        # Over another sheet Qt would polish every widget there is, and take three times as long as with none
        # in between; like this those that were never shown wait until they are.
        self._app.setStyleSheet("")
        self._app.installEventFilter(self)
        yield
        self._app.removeEventFilter(self)
        self._app.setStyleSheet(style_sheet())
        yield
        owed, self._owed = self._owed, {}
        for widget in owed:
            if isValid(widget):
                self._app.postEvent(widget, QEvent(QEvent.Type.LayoutRequest))
        yield
        self._let_windows_go()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Nothing is laid out without a sheet: what is wider then would push others aside for good."""
        if event.type() != QEvent.Type.LayoutRequest or not isinstance(watched, QWidget):
            return False
        self._owed[watched] = None
        return True

    def _is_seen(self) -> bool:
        return any(window.isVisible() for window in self._app.topLevelWidgets())

    def _hold_windows(self) -> None:
        """Let windows show the old theme until all of them is in the new colours."""
        for window in self._app.topLevelWidgets():
            if window.isVisible() and window.updatesEnabled():
                window.setUpdatesEnabled(False)
                window.setProperty(HELD, True)

    def _let_windows_go(self) -> None:
        for window in self._app.topLevelWidgets():
            if window.property(HELD):
                window.setProperty(HELD, None)
                window.setUpdatesEnabled(True)
                # An update that was asked for before and came while the window was held has painted nothing,
                # and Qt takes it for still on its way: it would ask for no other.
                self._app.postEvent(window, QEvent(QEvent.Type.UpdateRequest))

    def _resolved(self) -> ThemeName:
        if self._choice != "system":
            return self._choice
        # Unknown is what plain X11 answers.
        return "dark" if self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"


def load_fonts() -> None:
    """Make the bundled fonts known; what is missing falls back along the list in the theme file."""
    for file in sorted(places.resource("fonts").glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(file))
