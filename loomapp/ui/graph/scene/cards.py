"""Cards: what one looks like, as a value, and how it is painted."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen

from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import Image
from loomapp.ui.graph.scene.card_text import font, metrics, reads_leftwards, squeezed, tail, wrapped
from loomapp.ui.graph.scene.draft_cards import Act, paint_acts
from loomapp.ui.look import theme
from loomapp.ui.media.pictures import paint_framed, shown_size

Kind: TypeAlias = Literal["message", "note", "start", "draft", "waiting", "failed", "proposal"]
Outline: TypeAlias = Literal["plain", "path", "current", "no room", "pruned", "error", "proposal"]

START_WIDTH = 72.0
START_HEIGHT = 28.0
ICON = 14.0
BAR_HEIGHT = 4.0
WIDEST_SIGHT = 1.6  # times its height
ONE_LINE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
ONE_LINE_LEFTWARDS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class Badge(NamedTuple):
    """Sign on the right of a card's first line."""

    icon: str
    role: str = "text.muted"
    text: str = ""
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """An image on a card: `picture` is small, and None while it is not there, or if it is missing."""

    image: Image
    picture: QImage | None = field(default=None, compare=False)
    key: int = 0  # of the picture: another one, another sight
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Face:
    """Look of a card; equal faces look the same."""

    kind: Kind
    name: str
    tint: str  # a colour role
    text: str
    lines: int
    outline: Outline = "plain"
    quiet: bool = False  # excluded, no room, pruned: bar, fill and edge fade, words stay readable
    struck: bool = False
    badges: tuple[Badge, ...] = ()
    count: str = ""  # of tokens, on the right
    sheets: int = 0  # older versions behind it
    caret: bool = False
    sign: str = ""  # the icon before the reason why nothing comes; none before a text
    acts: tuple[Act, ...] = ()  # what the card of a draft offers
    unread: bool = False
    sight: Sight | None = None  # the image it shows beside its words
    chip: str = ""  # of long parts that are sent shortened, on its edge
    bar: float | None = None  # how far a run is, from 0 to 1
    brief: str = ""  # its one-liner, where there is room for a line alone
    asks: str = ""  # the end of a proposal's name: what it asks for

    @property
    def height(self) -> float:
        return card_height(self.kind, self.lines)


@lru_cache
def card_height(kind: Kind, lines: int) -> float:
    if kind == "start":
        return START_HEIGHT
    text = lines * theme.line_height("small")
    if kind == "note":
        return 24 + text + 4
    return 2 * theme.px("card.padding_y") + theme.px("card.meta_line") + 4 + text


def text_width(width: float) -> float:
    return width - 2 * theme.px("card.padding_x")


def is_whole(face: Face, text: str, width: float) -> bool:
    """True if a card of a width says all of a text: no line is cut, none was joined to another."""
    if face.sign or "\n" in text or squeezed(text) != text:
        return False
    lines = face.lines - 1 if face.acts else face.lines  # what it offers takes the last one
    return len(wrapped(text, text_width(width), face.lines + 1, "small")) <= lines


def paint_card(painter: QPainter, face: Face, width: float) -> None:
    """Draw a card at 100 % with its upper left corner at 0, 0. Sheets stand out above and to the right."""
    rect = QRectF(0, 0, width, face.height)
    if face.kind == "start":
        paint_start(painter, face, width)
        return
    _paint_sheets(painter, face, rect)
    paint_body(painter, face, rect)
    if face.unread:
        paint_unread(painter, width, 5.5)
    if face.kind == "note":
        _paint_note(painter, face, rect)
        return
    _paint_meta(painter, face, width)
    if face.kind in {"failed", "waiting", "proposal"}:
        _paint_halt(painter, face, width)
    else:
        _paint_text(painter, face, width)


def short_name(name: str, room: float) -> str:
    """Return a name in so much room: whole, else its first word, else cut."""
    fits = (words for words in (name, name.split(" ")[0]) if metrics("name").horizontalAdvance(words) <= room)
    return next(fits, "") or metrics("name").elidedText(name, Qt.TextElideMode.ElideRight, room)


def name_in(face: Face, room: float) -> str:
    """Return the name of a card in so much room; of a proposal what it asks for goes last."""
    if not face.asks:
        return short_name(face.name, room)
    who = face.name.removesuffix(f": {face.asks}").split(" ")[0]
    ways = (face.name, f"{who}: {face.asks}", face.asks)
    fitting = (words for words in ways if metrics("name").horizontalAdvance(words) <= room)
    return next(fitting, "") or metrics("name").elidedText(face.asks, Qt.TextElideMode.ElideRight, room)


def outline_pen(face: Face) -> QPen:
    match face.outline:
        case "current":
            return QPen(theme.colour("accent.base"), 2)
        case "path":
            return QPen(theme.colour("accent.base"), 1.5)
        case "error":
            return QPen(theme.colour("state.error"), 1.5)
        case "proposal":
            return _dashed(theme.colour(face.tint), 1.5, [3, 2.4])
        case "no room":
            return _dashed(theme.colour("state.dropped"), 1.5, [3, 2.4])
        case "pruned":
            return _dashed(theme.colour("state.pruned"), 1.25, [1, 2])
    return QPen(theme.colour("border.normal"), 1)


def fill_colour(face: Face) -> QColor:
    if face.outline == "current":
        return theme.colour("accent.soft")
    if face.kind == "proposal":
        return theme.colour("surface.canvas")
    if face.kind == "note":
        return theme.mixed("surface.raised", "state.warning_soft", 0.5)
    if face.quiet:
        return theme.mixed("surface.raised", "surface.canvas", 0.55)
    return theme.colour("surface.raised")


def text_colour(face: Face) -> QColor:
    if face.quiet:
        return theme.colour("text.muted")
    on_path = face.outline in {"path", "current"} or face.kind == "draft"
    return theme.colour("text.primary" if on_path else "text.secondary")


def name_colour(face: Face) -> QColor:
    return theme.colour("text.muted" if face.quiet else face.tint)


def radius() -> float:
    return theme.metric("radius.card")


def _paint_sheets(painter: QPainter, face: Face, rect: QRectF) -> None:
    step = theme.metric("card.stack_offset")
    theme.draw_in(painter, "border.strong", "surface.raised")
    for i in range(min(face.sheets, 2), 0, -1):
        sheet = rect.translated(step * i, -step * i).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(sheet, radius(), radius())


def paint_body(painter: QPainter, face: Face, rect: QRectF) -> None:
    """Paint a card's ground, its author's bar and its edge."""
    pen = outline_pen(face)
    inset = pen.widthF() / 2
    body = rect.adjusted(inset, inset, -inset, -inset)
    corner = min(radius(), rect.height() / 4) - inset
    if theme.current_name() == "light" and not face.quiet:  # depth is a hair of shadow on paper
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(40, 34, 20, 16))
        painter.drawRoundedRect(rect.translated(0, 1.25), radius(), radius())
    shape = QPainterPath()
    shape.addRoundedRect(body, corner, corner)
    painter.fillPath(shape, fill_colour(face))
    if face.kind not in {"note", "start", "failed", "proposal"}:
        bar = QPainterPath()
        bar.addRect(
            QRectF(rect.left(), rect.top(), inset * 2 - 0.5 + theme.metric("card.bar"), rect.height())
        )
        painter.fillPath(shape.intersected(bar), _bar_colour(face))
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(body, corner, corner)


def paint_unread(painter: QPainter, width: float, radius: float) -> None:
    """Paint the dot of an unread card on its corner."""
    theme.draw_in(painter, "surface.canvas", "accent.base", width=2)
    painter.drawEllipse(QPointF(width - 3, 3), radius, radius)


def _bar_colour(face: Face) -> QColor:
    if not face.quiet:
        return theme.colour(face.tint)
    name = "card.opacity_dropped" if face.outline == "no room" else "card.opacity_excluded"
    return theme.translucent(face.tint, theme.metric(name))


def _paint_meta(painter: QPainter, face: Face, width: float) -> None:
    left: float = theme.px("card.padding_x")
    top = theme.px("card.padding_y")
    line = theme.px("card.meta_line")
    end = width - left - (16 if face.kind == "failed" else 0)  # the cross in the corner
    right = _paint_badges(painter, face, end, top + line / 2)
    if face.kind == "proposal":
        theme.paint(painter, face.sign, face.tint, QRectF(left, top + (line - ICON) / 2, ICON, ICON))
        left += ICON + 5
    painter.setFont(font("name"))
    painter.setPen(name_colour(face))
    name = name_in(face, right - left)
    painter.drawText(QRectF(left, top, right - left + 2, line), ONE_LINE, name)


def _paint_badges(painter: QPainter, face: Face, right: float, middle: float) -> float:
    """Draw badges from the right; return how far the name may reach."""
    painter.setFont(font("count"))
    if face.count:
        right = _paint_right(painter, face.count, "text.muted", right, middle)
    for badge in reversed(face.badges):
        if badge.text:
            right = _paint_right(painter, badge.text, badge.role, right, middle) + 2
        place = QRectF(right - ICON, middle - ICON / 2, ICON, ICON)
        theme.paint(painter, badge.icon, badge.role, place, filled=badge.filled)
        right -= ICON + 5
    return right


def _paint_right(painter: QPainter, text: str, role: str, right: float, middle: float) -> float:
    width = metrics("count").horizontalAdvance(text)
    painter.setPen(theme.colour(role))
    painter.drawText(QRectF(right - width - 1, middle - 8, width + 2, 16), ONE_LINE, text)
    return right - width - 5


def _paint_text(painter: QPainter, face: Face, width: float) -> None:
    left: float = theme.px("card.padding_x")
    top = theme.px("card.padding_y") + theme.px("card.meta_line") + 4
    room = text_width(width)
    if face.sight is not None:
        taken = _paint_sight(painter, face, left, top) + 8
        left, room = left + taken, room - taken
    lines = tail(face.text, room) if face.caret else wrapped(face.text, room, face.lines, "small")
    type_name = "struck" if face.struck else "small"
    _paint_lines(painter, lines, left, top, room, type_name, text_colour(face))
    if face.bar is not None:
        y = top + max(1, len(lines)) * theme.line_height("small") + 8
        _paint_bar(painter, QRectF(left, y, room, BAR_HEIGHT), face.bar)
    if face.caret:
        last = lines[-1] if lines else ""
        row = max(0, len(lines) - 1)
        x = left + min(metrics("small").horizontalAdvance(last) + 2, room)
        y = top + row * theme.line_height("small")
        painter.fillRect(QRectF(x, y + 2, 1.5, 12), theme.colour("state.streaming"))


def _paint_bar(painter: QPainter, rect: QRectF, done: float) -> None:
    theme.draw_in(painter, fill="border.normal")
    painter.drawRoundedRect(rect, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
    theme.draw_in(painter, fill="accent.base")
    filled = QRectF(rect.topLeft(), QSizeF(rect.width() * done, BAR_HEIGHT))
    painter.drawRoundedRect(filled, BAR_HEIGHT / 2, BAR_HEIGHT / 2)


def _paint_sight(painter: QPainter, face: Face, left: float, top: float) -> float:
    """Paint the image of a card, as high as its lines; return the width it takes."""
    assert face.sight is not None
    side = face.lines * theme.line_height("small")
    width = min(side * WIDEST_SIGHT, max(side, shown_size(face.sight.image, round(side)).width()))
    place = QRectF(left, top + 1, width, side)
    painter.setOpacity(theme.metric("card.opacity_dropped") if face.quiet else 1)
    paint_framed(painter, place, face.sight.image, face.sight.picture, missing=face.sight.missing)
    painter.setOpacity(1)
    return width


def _paint_lines(
    painter: QPainter,
    lines: tuple[str, ...],
    left: float,
    top: float,
    room: float,
    type_name: str,
    colour: QColor,
) -> None:
    painter.setFont(font(type_name))
    painter.setPen(colour)
    step = theme.line_height("small")
    leftwards = bool(lines) and reads_leftwards(lines[0])
    flags, slack = (ONE_LINE_LEFTWARDS, 0) if leftwards else (ONE_LINE, 8)
    for i, words in enumerate(lines):
        painter.drawText(QRectF(left, top + i * step, room + slack, step), flags, words)


def _paint_note(painter: QPainter, face: Face, rect: QRectF) -> None:
    left = theme.px("card.padding_x")
    role = "text.muted" if face.quiet else "state.warning"
    theme.paint(painter, "sticky-note", role, QRectF(left, 8, 12, 12))
    right = _paint_badges(painter, face, rect.width() - left, 14)
    painter.setFont(font("name"))
    painter.setPen(theme.colour(role))
    name = metrics("name").elidedText(face.name, Qt.TextElideMode.ElideRight, right - left - 17)
    painter.drawText(QRectF(left + 17, 6, right - left - 15, 16), ONE_LINE, name)
    room = text_width(rect.width())
    lines = wrapped(face.text, room, face.lines, "small")
    type_name = "struck" if face.struck else "small"
    _paint_lines(painter, lines, left, 24, room, type_name, text_colour(face))


def _paint_halt(painter: QPainter, face: Face, width: float) -> None:
    """Paint why nothing comes, the end of what came, or the beginning of what is proposed, in two lines;
    below them what can be done.
    """
    left = theme.px("card.padding_x")
    top = theme.px("card.padding_y") + theme.px("card.meta_line") + 4
    room = text_width(width)
    is_proposed = face.kind == "proposal"  # its sign stands beside its name
    if face.sign and not is_proposed:
        role = "state.error" if face.kind == "failed" else "state.warning"
        theme.paint(painter, face.sign, role, QRectF(left, top + 2, 12, 12))
        colour = theme.colour("state.error" if face.kind == "failed" else "text.secondary")
        lines = wrapped(face.text, room - 18, 2, "small")
        _paint_lines(painter, lines, left + 18, top, room - 18, "small", colour)
    else:
        lines = wrapped(face.text, room, 2, "small") if is_proposed else tail(face.text, room, 2)
        _paint_lines(painter, lines, left, top, room, "small", text_colour(face))
    paint_acts(painter, face.acts, width)


def paint_start(painter: QPainter, face: Face, width: float) -> None:
    rect = QRectF(width - START_WIDTH, 0, START_WIDTH, START_HEIGHT)
    pen = outline_pen(face)
    inset = pen.widthF() / 2
    painter.setPen(pen)
    painter.setBrush(fill_colour(face))
    round_corner = START_HEIGHT / 2 - inset
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), round_corner, round_corner)
    theme.draw_in(painter, fill="accent.base" if face.outline != "plain" else "text.muted")
    painter.drawEllipse(QPointF(rect.left() + 15, START_HEIGHT / 2), 3.5, 3.5)
    painter.setFont(font("name"))
    painter.setPen(text_colour(face))
    painter.drawText(rect.adjusted(25, 0, 0, 0), ONE_LINE, face.name)


def _dashed(colour: QColor, width: float, pattern: list[float]) -> QPen:
    pen = QPen(colour, width)
    pen.setDashPattern(pattern)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen
