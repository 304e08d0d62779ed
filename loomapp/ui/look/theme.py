"""The theme: dark, light or the system's, its palette, style sheet, fonts, icons, and each agent's tint."""

from __future__ import annotations

import zlib
from typing import Literal, TypeAlias

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory, QWidget

from loomapp import places
from loomapp.core.settings import Settings
from loomapp.core.tree import Agent
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
    prose_width_px,
    px,
    token,
    translucent,
)

__all__ = [
    "Choice",
    "agent_colour",
    "agent_role",
    "apply",
    "choice_of",
    "colour",
    "current_name",
    "font",
    "icon",
    "line_height",
    "metric",
    "mixed",
    "numbers",
    "paint",
    "pixmap",
    "prose_width_px",
    "put_beside_words",
    "px",
    "set_look",
    "set_text",
    "token",
    "translucent",
]

Choice: TypeAlias = Literal["dark", "light", "system"]
TINTS = 8

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
    """A theme by the name that the settings have for it."""
    return "dark" if name == "dark" else "light" if name == "light" else "system"


def set_text(settings: Settings) -> None:
    """The user's sizes of text; before there are widgets, which read them when they are made."""
    tokens.set_size("dialogue", settings.message_size_px)
    tokens.set_size("prose", settings.prose_size_px)
    tokens.set_measure(settings.prose_measure)


def apply(app: QApplication, choice: Choice) -> None:
    """Show a theme in the whole application, now and (for `system`) when the desktop changes its mind."""
    _Wardrobe.of(app).wear(choice)


def palette() -> QPalette:
    """The palette of the theme on the screen."""
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
    """The tint of an agent in the theme on the screen."""
    return colour(agent_role(agent))


def set_look(widget: QWidget, **properties: str | bool) -> None:
    """Choose among the looks of the style sheet: kind="primary", tone="muted", surface="panel", …"""
    for name, value in properties.items():
        widget.setProperty(name, value)
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):  # else Qt does it when it is shown
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class _Wardrobe(QObject):
    """What an application wears; one a QApplication."""

    NAME = "wardrobe"

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.setObjectName(self.NAME)
        self._app = app
        self._choice: Choice = "system"
        self._worn: ThemeName | None = None
        load_fonts()
        style = QStyleFactory.create("Fusion")
        app.setStyle(style)
        app.styleHints().colorSchemeChanged.connect(self.on_scheme_changed)

    @classmethod
    def of(cls, app: QApplication) -> _Wardrobe:
        """The application's wardrobe, made at its first use."""
        found = app.findChild(_Wardrobe, cls.NAME)
        return found if found is not None else cls(app)

    def wear(self, choice: Choice) -> None:
        """Show a theme."""
        self._choice = choice
        scheme = {"dark": Qt.ColorScheme.Dark, "light": Qt.ColorScheme.Light}.get(choice)
        hints = self._app.styleHints()
        hints.unsetColorScheme() if scheme is None else hints.setColorScheme(scheme)
        self._put_on()

    def on_scheme_changed(self) -> None:
        """Follow the desktop if that is what was chosen."""
        if self._choice == "system":
            self._put_on()

    def _put_on(self) -> None:
        if self._worn == self._resolved():
            return
        self._worn = self._resolved()
        tokens.set_current(self._worn)
        recolour()
        self._app.setPalette(palette())
        self._app.setFont(font("ui"))
        # Over another sheet Qt would polish every widget there is, and take three times as long as with none
        # in between; like this those that were never shown wait until they are.
        self._app.setStyleSheet("")
        self._app.setStyleSheet(style_sheet())

    def _resolved(self) -> ThemeName:
        if self._choice != "system":
            return self._choice
        # Unknown is what plain X11 answers.
        return "dark" if self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"


def load_fonts() -> None:
    """Make the bundled fonts known; what is missing falls back along the list in the theme file."""
    for file in sorted(places.resource("fonts").glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(file))
