"""Painting the scene: edges, and cards as pictures that are kept, or small ones, as the zoom can carry."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from time import thread_time
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPixmap

from loomapp.core.layout.cards import Ints
from loomapp.ui.graph.motion.camera import Camera, Detail, detail
from loomapp.ui.graph.motion.card_moves import Drift
from loomapp.ui.graph.painting import overlay
from loomapp.ui.graph.painting.card_signs import (
    Bracket,
    paint_agent_pill,
    paint_bracket,
    paint_edge_chip,
    paint_tab,
)
from loomapp.ui.graph.painting.edges import (
    continuation,
    edge_kind,
    edge_style,
    paint_reference,
    proposal_style,
    thinned,
    thinned_lines,
)
from loomapp.ui.graph.painting.far_view import Afar, FrameCounts, draw_rects
from loomapp.ui.graph.scene.card_faces import TAB_PX
from loomapp.ui.graph.scene.card_text import font, metrics, wrapped
from loomapp.ui.graph.scene.cards import (
    ONE_LINE,
    START_HEIGHT,
    START_WIDTH,
    Badge,
    Face,
    name_colour,
    name_in,
    paint_body,
    paint_card,
    paint_start,
    paint_unread,
    text_colour,
)
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.spatial_index import Box
from loomapp.ui.look import theme
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON

LINE_MARGIN = 2.5  # px above and below what a small card says
LEAST_LINE = 12.0  # px of a line of type on a small card; two of them, or author and words share one
LEAST_WORDS = 24.0  # px that are worth beginning a line in
MARK = 11.0
UNREAD = 4.0  # px from the middle of the dot
# Badges whose state no edge and no line through the words tells.
KEPT = (REFUSED_ICON, "circle-pause", "arrow-right-to-line")


def paint_line_card(painter: QPainter, face: Face, width: float, height: float) -> None:
    """Draw a small card of a given size in type of reading size: its author, and one line below or beside.

    What neither its edge nor its words tell stands as a sign before the words.
    """
    if face.kind == "start":
        painter.translate(width - START_WIDTH * height / START_HEIGHT, 0)
        painter.scale(height / START_HEIGHT, height / START_HEIGHT)
        paint_start(painter, face, START_WIDTH)
        return
    paint_body(painter, face, QRectF(0, 0, width, height))
    if face.unread:
        paint_unread(painter, width, UNREAD)
    left = 10.0 if width > 60 else 6.0
    room = width - left - 4
    line = min(theme.line_height("small"), height / 2 - LINE_MARGIN)
    if line >= LEAST_LINE:
        top = height / 2 - line
        _paint_name(painter, face, QRectF(left, top, room, line))
        words = _after_mark(painter, face, QRectF(left, top + line, room, line))
        _paint_words(painter, face, words)
        return
    marked = 0.0 if mark_of(face) is None else MARK + 3
    taken = _paint_name(painter, face, QRectF(left, 0, room - marked, height)) + (3 if marked else 6)
    words = _after_mark(painter, face, QRectF(left + taken, 0, room - taken, height))
    if words.width() >= LEAST_WORDS:
        _paint_words(painter, face, words)


def mark_of(face: Face) -> Badge | None:
    """The sign that a card keeps however small it is: why nothing comes, is sent or went on."""
    if face.sign:
        return Badge(face.sign, "state.error" if face.kind == "failed" else "state.warning")
    return next((badge for badge in face.badges if badge.icon in KEPT), None)


def _paint_name(painter: QPainter, face: Face, place: QRectF) -> float:
    """The author, who is never told by colour alone; gives the width that the name takes."""
    name = name_in(face, place.width())
    painter.setFont(font("name"))
    painter.setPen(name_colour(face))
    painter.drawText(place.adjusted(0, 0, 4, 0), ONE_LINE, name)
    return metrics("name").horizontalAdvance(name)


def _paint_words(painter: QPainter, face: Face, place: QRectF) -> None:
    type_name = "struck" if face.struck else "small"
    painter.setFont(font(type_name))
    painter.setPen(text_colour(face))
    for words in wrapped(face.brief or face.text, place.width(), 1, type_name):
        painter.drawText(place.adjusted(0, 0, 4, 0), ONE_LINE, words)


def _after_mark(painter: QPainter, face: Face, place: QRectF) -> QRectF:
    """Draw the face's sign, if any; return the room that is left for words."""
    mark = mark_of(face)
    if mark is None:
        return place
    theme.paint(
        painter, mark.icon, mark.role, QRectF(place.left(), place.center().y() - MARK / 2, MARK, MARK)
    )
    return place.adjusted(MARK + 3, 0, 0, 0)


PAD = 12  # px around a card's picture: sheets, the dot of what is unread
NARROW_PAD = 4  # px around that of most cards: a hair of shadow. Both are whole device px at 125 %
MOST_BYTES = 64 * 2**20  # of card pictures
DOTS = 28  # px between the dots of the desk
BUDGET_S = 0.012  # of work on new card pictures in a frame
MOVING_BUDGET_S = 0.006  # likewise during a gesture, whose next frame is due soon


OTHER: Mapping[Detail, Detail] = {"cards": "lines", "lines": "cards"}  # to draw a card from meanwhile


class CardPicture(NamedTuple):
    """Cached picture of a card, and what it was made for."""

    face: Face
    zoom: float
    ratio: float
    pixmap: QPixmap
    pad: int

    def shows(self, face: Face, ratio: float) -> bool:
        """Tell whether it is the picture of a face, at whatever zoom."""
        return self.ratio == ratio and (self.face is face or self.face == face)


class ScenePainter:
    """Draws scenes. Keeps the last picture of each card in each detail; the least recently used go first.

    No frame takes long: after `BUDGET_S` the cards without a picture are drawn from one made for another
    zoom or detail, or as blank ones, and the frame says that it is behind, or owes them.
    """

    def __init__(self) -> None:
        self.painted = FrameCounts()
        self._pictures: OrderedDict[tuple[str, Detail], CardPicture] = OrderedDict()
        self._bytes = 0
        self._afar = Afar()
        self._until = 0.0
        self.is_behind = False  # whether some cards were drawn from pictures of another size
        self.hovered: int | None = None  # the row of the card under the pointer
        self.hovered_chip: int | None = None  # the row of the card whose chip is
        self.bracket: Bracket | None = None
        self.bracket_pill = QRectF()  # where that can be clicked

    def forget(self) -> None:
        self._pictures.clear()
        self._bytes = 0
        self._afar.forget()

    def paint(
        self, painter: QPainter, scene: Scene, camera: Camera, exposed: QRect, drift: Drift, *, moving: bool
    ) -> None:
        """Draw what is exposed. While it is `moving`, pictures made for other sizes are scaled."""
        self.painted = FrameCounts()
        self._until = thread_time() + (MOVING_BUDGET_S if moving else BUDGET_S)
        self.is_behind = False
        ratio = painter.device().devicePixelRatioF()
        painter.fillRect(exposed, theme.colour("surface.canvas"))
        level = detail(camera.zoom)
        self.bracket_pill = QRectF()
        if level == "blocks":
            self._afar.paint(painter, scene, camera, exposed, self.painted)
            return
        self._paint_desk(painter, camera, exposed)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = camera.box(QRectF(exposed)).grown(max(PAD / camera.zoom, TAB_PX))
        rows = drift.with_moving(scene.index.rows_in(area))
        links = drift.with_moving(scene.index.edges_in(area))
        links = thinned(scene, scene.index.linked(links), rows)
        self._paint_edges(painter, scene, camera, links, rows, area, ratio, drift)
        blank = [
            row
            for row in rows.tolist()
            if not self._paint_card(painter, scene, camera, row, level, ratio, drift, moving)
        ]
        self.painted.cards, self.painted.owed = len(rows), len(blank)
        if blank:
            _paint_blank(painter, scene, camera, np.array(blank, np.int64))
        if level == "cards":
            if scene.has_tabs:
                self._paint_tabs(painter, scene, camera, rows, drift)
            self._paint_chips(painter, scene, camera, rows, drift)
            self._paint_acting(painter, scene, camera, drift)
        if self.bracket is not None:
            self.bracket_pill = paint_bracket(painter, self.bracket, scene, camera, drift)
        for row in rows.tolist():
            count = scene.places.folded.get(scene.card(row), 0) if scene.places.folded else 0
            if count:
                card = camera.rect(scene.box(row)).translated(drift.offset(row) * camera.zoom)
                overlay.paint_fold(painter, card, count, camera.zoom, down=scene.is_down)

    def _paint_tabs(self, painter: QPainter, scene: Scene, camera: Camera, rows: Ints, drift: Drift) -> None:
        """Paint the titles of branches on the cards of their heads."""
        for row in rows.tolist():
            tab = scene.tab(row)
            if tab is not None:
                card = camera.rect(scene.box(row)).translated(drift.offset(row) * camera.zoom)
                on_path = scene.face(row).outline in ("path", "current")
                paint_tab(painter, card, tab, camera.zoom, on_path=on_path)

    def _paint_chips(self, painter: QPainter, scene: Scene, camera: Camera, rows: Ints, drift: Drift) -> None:
        """Paint the chips of what is sent shortened, each on the edge of its card."""
        if not scene.has_chips:
            return
        for row in rows.tolist():
            words = scene.face(row).chip
            if words:
                card = camera.rect(scene.box(row)).translated(drift.offset(row) * camera.zoom)
                is_hovered = row == self.hovered_chip
                paint_edge_chip(painter, card, words, camera.zoom, down=scene.is_down, is_hovered=is_hovered)

    def _paint_acting(self, painter: QPainter, scene: Scene, camera: Camera, drift: Drift) -> None:
        """Paint the marks of agents on the cards that they read, or where they write or ask."""
        for live in scene.drafts.values():
            row = None if live.run is None or not live.run.at else scene.row_of(live.run.at)
            agent = scene.agents.get(live.agent_id)
            if live.run is not None and row is not None and agent is not None and not live.draft.ended:
                card = camera.rect(scene.box(row)).translated(drift.offset(row) * camera.zoom)
                paint_agent_pill(painter, card, agent, live.run.act, camera.zoom)

    def _paint_desk(self, painter: QPainter, camera: Camera, exposed: QRect) -> None:
        """Faint dots that move with the canvas, so that panning over empty desk is felt."""
        step = DOTS * camera.zoom
        if step < 14:
            return
        left = exposed.left() + (-camera.left * step / DOTS - exposed.left()) % step
        top = exposed.top() + (-camera.top * step / DOTS - exposed.top()) % step
        x = np.arange(left, exposed.right() + 1, step)
        y = np.arange(top, exposed.bottom() + 1, step)
        across, down = np.meshgrid(x, y)
        theme.draw_in(painter, fill="border.subtle")
        draw_rects(painter, across.ravel(), down.ravel(), 1, np.ones(across.size))

    # Cards.

    def _paint_card(
        self,
        painter: QPainter,
        scene: Scene,
        camera: Camera,
        row: int,
        level: Detail,
        ratio: float,
        drift: Drift,
        moving: bool,
    ) -> bool:
        """Paint a card; False if there was no time left to make its picture."""
        picture = self._picture(
            scene.card(row), scene.face(row), scene.index.width, level, camera.zoom, ratio, moving
        )
        if picture is None:
            return False
        box = scene.box(row)
        # A picture's right edge is that of the card; a start is narrower than its picture.
        corner = camera.to_view(box.right - scene.index.width, box.top) + drift.offset(row) * camera.zoom
        pixmap, pad = picture.pixmap, picture.pad
        if picture.zoom == camera.zoom:
            x = round((corner.x() - pad) * ratio) / ratio
            painter.drawPixmap(QPointF(x, round((corner.y() - pad) * ratio) / ratio), pixmap)
            return True
        share = camera.zoom / picture.zoom
        place = QRectF(corner - QPointF(pad, pad) * share, pixmap.deviceIndependentSize() * share)
        _draw_scaled(painter, place, pixmap)
        return True

    def _picture(
        self, card: str, face: Face, width: float, level: Detail, zoom: float, ratio: float, moving: bool
    ) -> CardPicture | None:
        kept = self._pictures.get((card, level))
        fits = kept is not None and kept.shows(face, ratio)
        if kept is not None and fits and (moving or kept.zoom == zoom):
            self._pictures.move_to_end((card, level))
            return kept
        if thread_time() > self._until and self.painted.rendered:
            self.is_behind = True
            other = kept if fits else self._pictures.get((card, OTHER[level]))
            return other if other is not None and other.shows(face, ratio) else None
        self.painted.rendered += 1
        pad = pad_around(face, level)
        pixmap = render(face, width, level, zoom, ratio, pad)
        return self._keep((card, level), CardPicture(face, zoom, ratio, pixmap, pad))

    def _keep(self, key: tuple[str, Detail], picture: CardPicture) -> CardPicture:
        old = self._pictures.pop(key, None)
        self._bytes += _size(picture) - (0 if old is None else _size(old))
        self._pictures[key] = picture
        while self._bytes > MOST_BYTES and len(self._pictures) > 1:
            self._bytes -= _size(self._pictures.popitem(last=False)[1])
        return picture

    # Edges.

    def _paint_edges(
        self,
        painter: QPainter,
        scene: Scene,
        camera: Camera,
        rows: Ints,
        cards: Ints,
        area: Box,
        ratio: float,
        drift: Drift,
    ) -> None:
        styles = {name: edge_style(name) for name in ("continuation", "active", "in_context", "dropped")}
        pens = {name: style.pen(camera.zoom, ratio) for name, style in styles.items()}
        painter.setBrush(Qt.BrushStyle.NoBrush)
        late: list[tuple[QPainterPath, QPen]] = []
        for row in rows.tolist():
            name = edge_kind(scene, row)
            path = continuation(scene, camera, row, drift)
            if name == "proposal":
                late.append((path, proposal_style(scene, row).pen(camera.zoom, ratio)))
            elif name == "continuation":
                painter.setPen(pens[name])
                painter.drawPath(path)
            else:
                late.append((path, pens[name]))
            self.painted.edges += 1
        for path, pen in late:  # the thread lies on top
            painter.setPen(pen)
            painter.drawPath(path)
        for line in thinned_lines(scene, scene.lines_in(area), cards, self.hovered).each():
            paint_reference(painter, scene, camera, line, ratio)
            self.painted.edges += 1


def _draw_scaled(painter: QPainter, place: QRectF, pixmap: QPixmap) -> None:
    """A picture in another size. Its rim is empty, so nothing is lost without antialiasing; with it Qt cuts
    each one into spans and waits for other threads to fill them, which takes several times as long.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawPixmap(place, pixmap, QRectF(pixmap.rect()))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _size(picture: CardPicture) -> int:
    return picture.pixmap.width() * picture.pixmap.height() * 4


def _paint_blank(painter: QPainter, scene: Scene, camera: Camera, rows: Ints) -> None:
    """Paint cards whose pictures are still to be made."""
    left, top = scene.index.corners(rows)
    theme.draw_in(painter, "border.normal", "surface.raised")
    x, y = (left - camera.left) * camera.zoom, (top - camera.top) * camera.zoom
    draw_rects(painter, x, y, scene.index.width * camera.zoom, scene.index.heights(rows) * camera.zoom)


def pad_around(face: Face, level: Detail) -> int:
    """The px around the picture of a card, in which something may stand out of it."""
    return PAD if level == "cards" and (face.sheets or face.unread) else NARROW_PAD


def render(face: Face, width: float, level: Detail, zoom: float, ratio: float, pad: int = PAD) -> QPixmap:
    """Return a card's picture with `pad` px of room on every side."""
    height = face.height * zoom
    size_x, size_y = round((width * zoom + 2 * pad) * ratio), round((height + 2 * pad) * ratio)
    picture = QPixmap(max(1, size_x), max(1, size_y))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.translate(pad, pad)
    if level == "cards":
        painter.scale(zoom, zoom)
        paint_card(painter, face, width)
    else:
        paint_line_card(painter, face, width * zoom, height)
    painter.end()
    return picture
