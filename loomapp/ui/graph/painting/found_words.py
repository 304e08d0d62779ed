"""Words that are looked for, marked on cards: where they are read, and on the edge of each card with them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from loomapp.ui.graph.motion.camera import Camera, detail
from loomapp.ui.graph.scene.card_text import metrics, reads_leftwards, wrapped
from loomapp.ui.graph.scene.cards import Face, radius, text_width
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.look import theme
from loomapp.ui.strings import utf16_length

NOTE_TOP_PX = 24  # of the first line of a note
OUT_PX = 2.5  # that the edge stands out of its card
SHADE = 0.38
SLICE_S, LEAST = 0.008, 200  # of a frame, for cards that were not looked at yet; so many of them in any case


class FoundWords:
    """Cards with some words."""

    def __init__(self) -> None:
        self._pattern: re.Pattern[str] | None = None
        self._words, self._matches_case = "", False
        self._has: dict[str, bool] = {}  # by node id, of those that were in sight

    def seek(self, words: str, *, match_case: bool = False) -> None:
        """Look for other words; for none nothing is marked."""
        flags = re.NOFLAG if match_case else re.IGNORECASE
        self._pattern = re.compile(re.escape(words), flags) if words else None
        self._words, self._matches_case = words if match_case else words.lower(), match_case
        self._has.clear()

    def has(self, scene: Scene, row: int) -> bool:
        """Return True if the whole text of a card has the words."""
        if self._pattern is None or scene.is_draft(row):
            return False
        node_id = scene.key(row)
        if node_id not in self._has:
            text = scene.full_text(row)  # looked through ten times as fast as by the pattern
            self._has[node_id] = self._words in (text if self._matches_case else text.lower())
        return self._has[node_id]

    def paint(
        self, painter: QPainter, scene: Scene, camera: Camera, rect_of: Callable[[int], QRectF]
    ) -> bool:
        """Paint the marks. Return True if there are more cards in sight than could be looked at just now."""
        if self._pattern is None:
            return False
        is_read, corner = detail(camera.zoom) == "cards", radius() * camera.zoom + OUT_PX
        end, looked, has_more = time.perf_counter() + SLICE_S, 0, False
        theme.draw_in(painter, "state.warning", width=2)
        for row in scene.index.rows_in(camera.seen).tolist():
            if not self._is_known(scene, row):
                looked += 1
                if looked > LEAST and time.perf_counter() >= end:
                    has_more = True
                    continue
            if not self.has(scene, row):
                continue
            card = rect_of(row)
            painter.drawRoundedRect(card.adjusted(-OUT_PX, -OUT_PX, OUT_PX, OUT_PX), corner, corner)
            for place in self.places(scene.face(row), scene.index.width) if is_read else ():
                mark = QRectF(place.topLeft() * camera.zoom, place.size() * camera.zoom)
                painter.fillRect(mark.translated(card.topLeft()), theme.translucent("state.warning", SHADE))
        return has_more

    def _is_known(self, scene: Scene, row: int) -> bool:
        return scene.is_draft(row) or scene.key(row) in self._has

    def places(self, face: Face, width: float) -> list[QRectF]:
        """Return where the words are read on a card at 100 %, from its corner; none beside an image."""
        lines = wrapped(face.text, text_width(width), face.lines, "small")
        if self._pattern is None or face.sight is not None or (lines and reads_leftwards(lines[0])):
            return []
        left, step = theme.px("card.padding_x"), theme.line_height("small")
        below_name = theme.px("card.padding_y") + theme.px("card.meta_line") + 4
        top = NOTE_TOP_PX if face.kind == "note" else below_name
        measure = metrics("small").horizontalAdvance
        return [
            QRectF(
                left + measure(line, utf16_length(line[: found.start()])),
                top + place * step,
                measure(found.group()),
                step,
            )
            for place, line in enumerate(lines)
            for found in self._pattern.finditer(line)
        ]
