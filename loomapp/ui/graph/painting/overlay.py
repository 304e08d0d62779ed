"""Overlay of the cards: the hovered card's edge and tools, the ring of the keyboard, marks of selections."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from loomapp.core.layout.cards import Ints
from loomapp.ui import figures
from loomapp.ui.graph.motion.camera import Camera, detail
from loomapp.ui.graph.painting.card_signs import edge_chip_rect
from loomapp.ui.graph.painting.far_view import draw_rects
from loomapp.ui.graph.scene.card_text import font, metrics
from loomapp.ui.graph.scene.cards import Face, radius
from loomapp.ui.graph.scene.draft_cards import act_boxes
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.look import theme
from loomapp.ui.strings import tr

TOOL_SIZE = 24.0  # the smallest square that is easy to hit
TOOL_ICON = 14.0
TOOLS_INSET = 16.0  # from the card's right edge, so that they keep off the +
TOOLS_OVERLAP = 3.0  # they straddle the lower edge, under the card's last line
FOLD_OVERLAP = 6.0
FOLD_HEIGHT = 18.0
FOLD_PADDING = 14.0
OPEN = "\u2212"  # on the badge of a branch that is not folded


class CardTool(NamedTuple):
    """Button of the hovered card's row."""

    name: str
    icon: str
    tip: str


TOOLS = (
    CardTool("edit", "pencil", "Edit"),
    CardTool("bookmark", "bookmark", "Bookmark"),
    CardTool("exclude", "eye-off", "Leave out of the context"),
    CardTool("note", "sticky-note", "Add a note"),
    CardTool("more", "ellipsis", "More"),
)
PRUNED_TOOLS = (CardTool("restore", "rotate-ccw", "Restore the branch"), CardTool("more", "ellipsis", "More"))
ACT_TIPS = {
    "retry": "Ask again",
    "stop": "Stop it; what came is kept",
    "key": "To the endpoint and its key",
    "details": "What the server said, with the id of the request, to copy",
    "dismiss": "Put this card away",
    "dismiss_all": "Put all failed answers of this tree away",
    "accept": "Let the agent do it",
    "refuse": "It is not done, and the agent is told",
}
FOLD_TIPS = {"fold": "Fold what follows (C)", "unfold": "Show what is folded here (C)"}
INCLUDE = CardTool("exclude", "eye", "Take into the context again")
UNMARK = CardTool("bookmark", "bookmark", "Remove the bookmark")


class Controls(NamedTuple):
    """Controls that a hovered card offers, by their rectangles in the viewport."""

    plus: QRectF
    tools: dict[str, QRectF]
    acts: dict[str, QRectF]
    fold: QRectF  # the badge that folds or unfolds
    is_folded: bool = False
    chip: QRectF | None = None  # of what is sent shortened

    def part_at(self, point: QPointF) -> str:
        """Return the part at a point: `plus`, `fold`, `unfold`, `shortened`, the name of an act or a tool, or
        empty.
        """
        if self.chip is not None and self.chip.contains(point):
            return "shortened"
        if self.fold.contains(point):
            return "unfold" if self.is_folded else "fold"
        if self.plus.contains(point):
            return "plus"
        named = (*self.acts.items(), *self.tools.items())
        return next((name for name, rect in named if rect.contains(point)), "")

    @property
    def reach(self) -> QRectF:
        """Return the rectangle around all controls."""
        result = self.plus.united(self.fold)
        for rect in (*self.tools.values(), *self.acts.values()):
            result = result.united(rect)
        return result


NO_CONTROLS = Controls(QRectF(), {}, {}, QRectF())


def plus_rect(card: QRectF, fold: QRectF, *, down: bool) -> QRectF:
    """The + of a card: a 24 px square on the card's far edge, half of it outside, beside a fold's badge."""
    size = theme.metric("card.plus_size")
    if down:
        left = fold.right() + 4 if not fold.isEmpty() else card.center().x() - size / 2
        return QRectF(left, card.bottom() - size / 2, size, size)
    top = fold.top() - size - 1 if not fold.isEmpty() else card.center().y() - size / 2
    return QRectF(card.right() - size / 2, top, size, size)


def tool_rects(card: QRectF, tools: tuple[CardTool, ...], *, down: bool = False) -> dict[str, QRectF]:
    """The tools of a card, in one row over its lower edge; over its upper one if the tree grows down."""
    left = card.right() - TOOLS_INSET - TOOL_SIZE * len(tools)
    top = card.top() + TOOLS_OVERLAP - TOOL_SIZE if down else card.bottom() - TOOLS_OVERLAP
    return {
        tool.name: QRectF(left + i * TOOL_SIZE, top, TOOL_SIZE, TOOL_SIZE) for i, tool in enumerate(tools)
    }


def controls(
    card: QRectF, face: Face, zoom: float, *, folded: int | None = None, down: bool = False
) -> Controls:
    """Return the controls of a card at a zoom; `folded` is how many cards it hides, None if there is nothing
    to fold.
    """
    level = detail(zoom)
    if face.kind in {"draft", "waiting", "failed", "proposal"} or level == "blocks":
        boxes = act_boxes(face.acts, card.width() / zoom) if level == "cards" else {}
        placed = {n: QRectF(b.topLeft() * zoom + card.topLeft(), b.size() * zoom) for n, b in boxes.items()}
        return Controls(QRectF(), {}, placed, QRectF()) if placed else NO_CONTROLS
    has_tools = level == "cards" and face.kind != "start"
    fold = QRectF() if folded is None else fold_rect(card, folded, zoom, down=down)
    plus = plus_rect(card, fold, down=down)
    tools = PRUNED_TOOLS if face.outline == "pruned" else TOOLS
    placed = tool_rects(card, tools, down=down) if has_tools else {}
    chip = edge_chip_rect(card, face.chip, zoom, down=down) if has_tools and face.chip else None
    return Controls(plus, placed, {}, fold, is_folded=bool(folded), chip=chip)


def tool(name: str, *, excluded: bool, bookmarked: bool) -> CardTool:
    """Return a tool for a node: on what is excluded or marked, it brings that back."""
    if name == "exclude" and excluded:
        return INCLUDE
    if name == "bookmark" and bookmarked:
        return UNMARK
    return next(tool for tool in (*TOOLS, *PRUNED_TOOLS) if tool.name == name)


def tip(name: str, *, excluded: bool, bookmarked: bool) -> str:
    if name == "plus":
        return tr("Generate from here at once (with Shift, go there too)")
    if name in FOLD_TIPS:
        return tr(FOLD_TIPS[name])
    if name == "shortened":
        return tr("Not all of it is sent: a click says why")
    if name in ACT_TIPS:
        return tr(ACT_TIPS[name])
    return tr(tool(name, excluded=excluded, bookmarked=bookmarked).tip)


def paint_hover(painter: QPainter, card: QRectF, zoom: float, *, accent: bool) -> None:
    """Draw the stronger edge of the card under the pointer."""
    pen = QPen(theme.colour("accent.base" if accent else "border.strong"), 1.5 if accent else 1.25)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    corner = min(radius() * zoom, card.height() / 4)
    painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)


def paint_controls(
    painter: QPainter, shown: Controls, part: str, *, excluded: bool, bookmarked: bool
) -> None:
    """The +, the tools, and the badge that folds; `part` is the one under the pointer."""
    if not shown.plus.isEmpty():
        theme.draw_in(painter, fill="accent.fill_hover" if part == "plus" else "accent.fill")
        painter.drawEllipse(shown.plus)
        theme.paint(painter, "plus", "text.on_accent", _middle(shown.plus, TOOL_ICON))
    if not shown.fold.isEmpty() and not shown.is_folded:
        _paint_badge(painter, shown.fold, OPEN, "text.primary" if part == "fold" else "text.secondary")
    if not shown.tools:
        return
    boxes = list(shown.tools.values())
    row = QRectF(boxes[0]).united(boxes[-1])
    if theme.current_name() == "light":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(40, 34, 20, 24))
        painter.drawRoundedRect(row.translated(0, 1.5), 6, 6)
    theme.draw_in(painter, "border.strong", "surface.overlay")
    painter.drawRoundedRect(row.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
    for name, rect in shown.tools.items():
        entry = tool(name, excluded=excluded, bookmarked=bookmarked)
        if name == part:
            theme.draw_in(painter, fill="surface.selected")
            painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), 4, 4)
        role = "text.primary" if name == part else "text.secondary"
        filled = name == "bookmark" and bookmarked
        theme.paint(painter, entry.icon, role, _middle(rect, TOOL_ICON), filled=filled)


def paint_ring(painter: QPainter, card: QRectF, zoom: float) -> None:
    width = theme.metric("control.focus_width")
    out = width / 2 + 1.5
    theme.draw_in(painter, "accent.focus", width=width)
    corner = min(radius() * zoom, card.height() / 4) + out
    painter.drawRoundedRect(card.adjusted(-out, -out, out, out), corner, corner)


def fold_rect(card: QRectF, count: int, zoom: float, *, down: bool) -> QRectF:
    """Return the badge of a branch, folded or not: it begins inside the card's far edge."""
    wide = metrics("count").horizontalAdvance(fold_text(count)) + FOLD_PADDING
    size = min(1.0, max(0.7, zoom))
    width, height = wide * size, FOLD_HEIGHT * size
    if down:
        return QRectF(card.center().x() - width / 2, card.bottom() - height / 2, width, height)
    return QRectF(card.right() - FOLD_OVERLAP * size, card.center().y() - height / 2, width, height)


def fold_text(count: int) -> str:
    """Return the number of cards that are folded away, short; a minus if none are."""
    if not count:
        return OPEN
    return f"+{figures.number(count)}" if count < 10_000 else f"+{count // 1000}k"


def paint_fold(painter: QPainter, card: QRectF, count: int, zoom: float, *, down: bool) -> None:
    _paint_badge(painter, fold_rect(card, count, zoom, down=down), fold_text(count), "text.primary")


def _paint_badge(painter: QPainter, rect: QRectF, words: str, role: str) -> None:
    theme.draw_in(painter, "border.strong", "surface.overlay")
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    lettering = QFont(font("count"))
    lettering.setPixelSize(max(8, round(lettering.pixelSize() * rect.height() / FOLD_HEIGHT)))
    painter.setFont(lettering)
    painter.setPen(theme.colour(role))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)


def paint_chosen(painter: QPainter, card: QRectF, zoom: float) -> None:
    """Mark one of several selected cards: a second line around it, and a check in its corner."""
    theme.draw_in(painter, "accent.base", width=2)
    corner = min(radius() * zoom, card.height() / 4) + 3
    painter.drawRoundedRect(card.adjusted(-3.5, -3.5, 3.5, 3.5), corner, corner)
    if detail(zoom) == "blocks":
        return
    mark = QRectF(card.left() - 9, card.top() - 9, 18, 18)
    theme.draw_in(painter, fill="accent.fill")
    painter.drawEllipse(mark)
    theme.paint(painter, "check", "text.on_accent", _middle(mark, 12))


def paint_lasso(painter: QPainter, area: QRectF) -> None:
    painter.setPen(QPen(theme.colour("accent.base"), 1, Qt.PenStyle.DashLine))
    painter.setBrush(theme.translucent("accent.base", 0.12))
    painter.drawRect(area)


def paint_leash(painter: QPainter, card: QRectF, end: QPointF, target: QRectF | None, zoom: float) -> None:
    """A branch that is being hung elsewhere: from its card to the pointer, and where it would hang."""
    painter.setPen(QPen(theme.colour("accent.base"), 2, Qt.PenStyle.DashLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawLine(card.center(), end)
    painter.drawRoundedRect(card, radius() * zoom, radius() * zoom)
    if target is not None:
        paint_target(painter, target, zoom)


def paint_target(painter: QPainter, target: QRectF, zoom: float) -> None:
    """Draw the ring of the card that something would fall on."""
    theme.draw_in(painter, "accent.focus", width=2)
    painter.drawRoundedRect(target.adjusted(-3, -3, 3, 3), radius() * zoom + 3, radius() * zoom + 3)


def _middle(rect: QRectF, size: float) -> QRectF:
    return QRectF(rect.center().x() - size / 2, rect.center().y() - size / 2, size, size)


ONE_BY_ONE = 500  # marks; of more the picture is the same without those that lie upon others
APART = 8.0  # px; a mark is at least as wide
REACH = 12.0  # px that a mark stands out of its card

AROUND = 3.5  # px that the line around a block stands out of it

NOTHING: Ints = np.zeros(0, np.int64)


class ChosenMarks:
    """Marks of selected cards, found anew where the cards or the selection change."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._rows = NOTHING
        self._seen_by: Camera | None = None
        self._seen = NOTHING

    def rows(self, scene: Scene, camera: Camera) -> Ints:
        if not scene.chosen:
            return NOTHING
        of = scene.chosen, scene.places.stamp, scene.places.index
        if of != self._of:
            self._of, self._rows, self._seen_by = of, scene.rows_of(scene.chosen), None
        if camera != self._seen_by:
            self._seen_by, self._seen = camera, _told_apart(scene, camera, self._rows)
        return self._seen

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Mark blocks, which are too many to be marked one by one."""
        index, rows = scene.index, self.rows(scene, camera)
        left, top = index.corners(rows)
        x, y = (left - camera.left) * camera.scale_x, (top - camera.top) * camera.scale_y
        wide, high = index.width * camera.scale_x, index.heights(rows) * camera.scale_y
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        theme.draw_in(painter, "accent.base", width=2)
        draw_rects(painter, x - AROUND, y - AROUND, wide + 2 * AROUND, high + 2 * AROUND)
        painter.restore()


def _told_apart(scene: Scene, camera: Camera, rows: Ints) -> Ints:
    index = scene.index
    left, top = index.corners(rows)
    x, y = (left - camera.left) * camera.scale_x, (top - camera.top) * camera.scale_y
    wide, high = index.width * camera.scale_x, index.heights(rows) * camera.scale_y
    seen = (x <= camera.width + REACH) & (x + wide >= -REACH)
    seen &= (y <= camera.height + REACH) & (y + high >= -REACH)
    rows, x, y = rows[seen], x[seen], y[seen]
    if len(rows) <= ONE_BY_ONE:
        return rows
    column, line = np.floor(x / APART).astype(np.int64), np.floor(y / APART).astype(np.int64)
    _, firsts = np.unique(column * (1 << 32) + line, return_index=True)
    apart: Ints = rows[np.sort(firsts)]
    return apart
