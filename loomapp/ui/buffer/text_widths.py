"""How wide the text is: a buffer wants its whole measure, a dialogue less; each has what a person gave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from loomapp.ui.buffer.editor import LEFT_PX, RIGHT_PX
from loomapp.ui.look import theme

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

AIR_PX = 40  # around the margins
GRAPH_PX = 396  # what the graph keeps at least


class TextWidths:
    """Remembers the width of the text for each kind of tree while the window is open."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._known: dict[bool, int] = {}

    def turn_over(self, *, is_prose: bool) -> None:
        """A tree of the other kind is read from now on."""
        window = self._window
        dock = window.text_dock
        if not window.isVisible() or window.halves.is_folded or window.focus_mode.is_on or dock.isHidden():
            return
        self._known[not is_prose] = dock.width()
        wanted = self._known.get(is_prose)
        if wanted is None and is_prose:
            wanted = theme.prose_width_px() + LEFT_PX + RIGHT_PX + AIR_PX
        if wanted is not None:
            centre = window.centralWidget()
            room = dock.width() + (centre.width() if centre is not None else 0) - GRAPH_PX
            window.resizeDocks(
                [dock], [max(dock.minimumWidth(), min(wanted, room))], Qt.Orientation.Horizontal
            )
