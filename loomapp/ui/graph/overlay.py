"""What lies over the cards: the hovered card's edge, its + and tools, the ring of the keyboard."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from loomapp.ui import theme
from loomapp.ui.graph.cards import radius, retry_box
from loomapp.ui.graph.faces import tr
from loomapp.ui.graph.painter import detail

TOOL_SIZE = 24.0  # the smallest square that is easy to hit
TOOL_ICON = 14.0
TOOLS_INSET = 16.0  # from the card's right edge, so that they keep off the +
TOOLS_OVERLAP = 3.0  # they straddle the lower edge, under the card's last line
PLUS_OVERLAP = 6.0


class Tool(NamedTuple):
    """One button of the hovered card's row."""

    name: str
    icon: str
    tip: str


TOOLS = (
    Tool("edit", "pencil", "Edit"),
    Tool("bookmark", "bookmark", "Bookmark"),
    Tool("exclude", "eye-off", "Leave out of the context"),
    Tool("note", "sticky-note", "Add a note"),
    Tool("more", "ellipsis", "More"),
)
INCLUDE = Tool("exclude", "eye", "Take into the context again")
UNMARK = Tool("bookmark", "bookmark", "Remove the bookmark")


class Controls(NamedTuple):
    """What a hovered card offers, where it is in the viewport."""

    plus: QRectF
    tools: dict[str, QRectF]
    retry: QRectF

    def part_at(self, point: QPointF) -> str:
        """`plus`, `retry`, a tool's name, or nothing."""
        if self.plus.contains(point):
            return "plus"
        if self.retry.contains(point):
            return "retry"
        return next((name for name, rect in self.tools.items() if rect.contains(point)), "")

    @property
    def reach(self) -> QRectF:
        """The rectangle around all of them."""
        result = self.plus.united(self.retry)
        for rect in self.tools.values():
            result = result.united(rect)
        return result


NO_CONTROLS = Controls(QRectF(), {}, QRectF())


def plus_rect(card: QRectF) -> QRectF:
    """The + of a card: a 24 px square that begins inside the card's right edge."""
    size = theme.metric("card.plus_size")
    return QRectF(card.right() - PLUS_OVERLAP, card.center().y() - size / 2, size, size)


def tool_rects(card: QRectF) -> dict[str, QRectF]:
    """The tools of a card, in one row over its lower edge."""
    left = card.right() - TOOLS_INSET - TOOL_SIZE * len(TOOLS)
    top = card.bottom() - TOOLS_OVERLAP
    return {
        tool.name: QRectF(left + i * TOOL_SIZE, top, TOOL_SIZE, TOOL_SIZE) for i, tool in enumerate(TOOLS)
    }


def controls(card: QRectF, kind: str, zoom: float) -> Controls:
    """What a card of a kind offers at a zoom."""
    level = detail(zoom)
    if kind == "failed":
        area = retry_box(card.width() / zoom) if level == "cards" else QRectF()
        place = QRectF(area.topLeft() * zoom + card.topLeft(), area.size() * zoom)
        return Controls(QRectF(), {}, place)
    if kind == "draft" or level == "blocks":
        return NO_CONTROLS
    has_tools = level == "cards" and kind != "start"
    return Controls(plus_rect(card), tool_rects(card) if has_tools else {}, QRectF())


def tool(name: str, *, excluded: bool, bookmarked: bool) -> Tool:
    """A tool as it is for a node: what would bring it back says so."""
    if name == "exclude" and excluded:
        return INCLUDE
    if name == "bookmark" and bookmarked:
        return UNMARK
    return next(tool for tool in TOOLS if tool.name == name)


def tip(name: str, *, excluded: bool, bookmarked: bool) -> str:
    """What a part of a card does, for its tooltip."""
    if name == "plus":
        return tr("Generate from here (Shift: and follow)")
    if name == "retry":
        return ""
    return tr(tool(name, excluded=excluded, bookmarked=bookmarked).tip)


def paint_hover(painter: QPainter, card: QRectF, zoom: float, *, accent: bool) -> None:
    """The stronger edge of the card under the pointer."""
    pen = QPen(theme.colour("accent.base" if accent else "border.strong"), 1.5 if accent else 1.25)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    corner = min(radius() * zoom, card.height() / 4)
    painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)


def paint_controls(
    painter: QPainter, shown: Controls, part: str, *, excluded: bool, bookmarked: bool
) -> None:
    """The + and the tools; `part` is the one under the pointer."""
    if not shown.plus.isEmpty():
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent.fill_hover" if part == "plus" else "accent.fill"))
        painter.drawEllipse(shown.plus)
        theme.paint(painter, "plus", "text.on_accent", _middle(shown.plus, TOOL_ICON))
    if not shown.tools:
        return
    row = QRectF(shown.tools[TOOLS[0].name]).united(shown.tools[TOOLS[-1].name])
    if theme.current_name() == "light":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(40, 34, 20, 24))
        painter.drawRoundedRect(row.translated(0, 1.5), 6, 6)
    painter.setPen(QPen(theme.colour("border.strong"), 1))
    painter.setBrush(theme.colour("surface.overlay"))
    painter.drawRoundedRect(row.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
    for name, rect in shown.tools.items():
        entry = tool(name, excluded=excluded, bookmarked=bookmarked)
        if name == part:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("surface.selected"))
            painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), 4, 4)
        role = "text.primary" if name == part else "text.secondary"
        filled = name == "bookmark" and bookmarked
        theme.paint(painter, entry.icon, role, _middle(rect, TOOL_ICON), filled=filled)


def paint_ring(painter: QPainter, card: QRectF, zoom: float) -> None:
    """The keyboard is here: a ring outside the card, with a gap."""
    width = theme.metric("control.focus_width")
    out = width / 2 + 1.5
    painter.setPen(QPen(theme.colour("accent.focus"), width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    corner = min(radius() * zoom, card.height() / 4) + out
    painter.drawRoundedRect(card.adjusted(-out, -out, out, out), corner, corner)


def _middle(rect: QRectF, size: float) -> QRectF:
    return QRectF(rect.center().x() - size / 2, rect.center().y() - size / 2, size, size)
