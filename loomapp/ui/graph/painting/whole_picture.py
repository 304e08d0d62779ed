"""Pictures of the whole graph as it is laid out, not of the part in view: painted a few cards at a time."""

from __future__ import annotations

from collections.abc import Generator
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from loomapp.formats.exports.opml import sound
from loomapp.ui.graph.motion.camera import Camera
from loomapp.ui.graph.motion.card_moves import STILL
from loomapp.ui.graph.painting.card_signs import paint_tab
from loomapp.ui.graph.painting.edges import (
    continuation,
    edge_kind,
    edge_style,
    paint_reference,
    proposal_style,
)
from loomapp.ui.graph.painting.overlay import paint_fold
from loomapp.ui.graph.painting.painter import ScenePainter
from loomapp.ui.graph.scene.cards import paint_card
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.look import theme

AROUND_PX = 32  # around the cards
MOST_SIDE_PX = 16_384  # of a PNG: what most programs open
MOST_PIXELS = 64_000_000  # of a PNG: 256 MB while it is painted
LEAST_ZOOM = 0.1  # of a PNG; below it no card can be told from another
MOST_CARDS = {"png": 20_000, "svg": 5_000}
CARDS_IN_PREVIEW = 100  # of more the canvas' own view from afar is painted
EDGES = ("continuation", "active", "in_context", "dropped")
AT_ONCE = 8  # cards painted in one step
EDGES_AT_ONCE = 200


class PicturePlan(NamedTuple):
    """Size of a picture in px, and at which zoom it shows how many cards; 0.0: it cannot be made."""

    size: QSize
    zoom: float
    cards: int


def plan(scene: Scene, kind: str) -> PicturePlan:
    """Return how large a picture of the whole graph becomes."""
    box = scene.index.bounds
    size = QSize(ceil(box.right - box.left) + 2 * AROUND_PX, ceil(box.bottom - box.top) + 2 * AROUND_PX)
    return fitted(size, len(scene.index.rows_in(box)), kind)


def fitted(whole: QSize, cards: int, kind: str) -> PicturePlan:
    """The picture of so many cards within its limits. A PNG shrinks until it fits them."""
    zoom = 1.0
    if kind == "png":
        side, pixels = max(whole.width(), whole.height()), whole.width() * whole.height()
        zoom = min(1.0, MOST_SIDE_PX / side, (MOST_PIXELS / pixels) ** 0.5)
    size = QSize(max(1, int(whole.width() * zoom)), max(1, int(whole.height() * zoom)))
    is_possible = 0 < cards <= MOST_CARDS[kind] and zoom >= LEAST_ZOOM
    return PicturePlan(size, zoom if is_possible else 0.0, cards)


def thumbnail(scene: Scene, room: QSize, ratio: float) -> QImage:
    """The whole graph, as large as the room allows and never larger than it is."""
    box = scene.index.bounds
    wide, high = box.right - box.left + 2 * AROUND_PX, box.bottom - box.top + 2 * AROUND_PX
    zoom = min(1.0, room.width() / wide, room.height() / high)
    size = QSize(max(1, round(wide * zoom)), max(1, round(high * zoom)))
    image = QImage(size * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(theme.colour("surface.canvas"))
    painter = QPainter(image)
    cards = len(scene.index.rows_in(box))
    if cards <= CARDS_IN_PREVIEW:
        for _ in _steps(painter, scene, PicturePlan(size, zoom, cards)):
            pass
    else:
        camera, exposed = _camera(scene, zoom, size), QRect(0, 0, size.width(), size.height())
        ScenePainter().paint(painter, scene, camera, exposed, STILL, moving=False)
    painter.end()
    return image


class Png:
    """A picture of dots. `steps` paints it, `data` is the file then."""

    def __init__(self, scene: Scene) -> None:
        self._plan = plan(scene, "png")
        self.image = QImage(self._plan.size, QImage.Format.Format_RGB32)
        self._scene = scene

    def steps(self) -> Generator[tuple[int, int]]:
        """Paint; gives how many cards are done, of how many."""
        self.image.fill(theme.colour("surface.canvas"))
        painter = QPainter(self.image)
        try:
            yield from _steps(painter, self._scene, self._plan)
        finally:
            painter.end()

    def data(self) -> bytes:
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, QByteArray(b"png")).write(self.image)
        return bytes(buffer.data().data())


class Svg:
    """A picture of lines and words. `steps` paints it, `data` is the file then."""

    def __init__(self, scene: Scene, title: str) -> None:
        self._plan = plan(scene, "svg")
        self._scene = scene
        self._bytes = QByteArray()
        self._buffer = QBuffer(self._bytes)
        self._buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self._generator = QSvgGenerator()
        self._generator.setOutputDevice(self._buffer)
        self._generator.setSize(self._plan.size)
        self._generator.setViewBox(QRectF(0, 0, self._plan.size.width(), self._plan.size.height()))
        self._generator.setTitle(title)

    def steps(self) -> Generator[tuple[int, int]]:
        """Paint; gives how many cards are done, of how many."""
        painter = QPainter(self._generator)
        try:
            painter.fillRect(QRectF(0, 0, *self._plan.size.toTuple()), theme.colour("surface.canvas"))
            yield from _steps(painter, self._scene, self._plan)
        finally:
            painter.end()

    def data(self) -> bytes:
        """The file; characters that XML cannot hold are replaced."""
        return sound(bytes(self._bytes.data()).decode("utf-8", "replace")).encode()


def _camera(scene: Scene, zoom: float, size: QSize) -> Camera:
    left, top = scene.index.bounds.left - AROUND_PX, scene.index.bounds.top - AROUND_PX
    return Camera(left, top, zoom, size.width(), size.height(), zoom, zoom)


def _steps(painter: QPainter, scene: Scene, made: PicturePlan) -> Generator[tuple[int, int]]:
    """Edges first, then every card with its words."""
    camera, everything = _camera(scene, made.zoom, made.size), scene.index.bounds
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pens = {name: edge_style(name).pen(made.zoom, 1.0) for name in EDGES}
    links = scene.index.linked(scene.index.edges_in(everything)).tolist()
    links.sort(key=lambda row: edge_kind(scene, row) != "continuation")  # the thread lies on top
    for place, row in enumerate(links):
        kind = edge_kind(scene, row)
        painter.setPen(pens[kind] if kind in pens else proposal_style(scene, row).pen(made.zoom, 1.0))
        painter.drawPath(continuation(scene, camera, row))
        if place % EDGES_AT_ONCE == EDGES_AT_ONCE - 1:
            yield 0, made.cards
    for line in scene.lines_in(everything).each():
        paint_reference(painter, scene, camera, line, 1.0)
    yield 0, made.cards
    for place, row in enumerate(scene.index.rows_in(everything).tolist(), 1):
        _paint_card(painter, scene, camera, row)
        if place % AT_ONCE == 0:
            yield place, made.cards


def _paint_card(painter: QPainter, scene: Scene, camera: Camera, row: int) -> None:
    box, face = scene.box(row), scene.face(row)
    painter.save()
    painter.translate(camera.to_view(box.right - scene.index.width, box.top))  # a start is narrower
    painter.scale(camera.zoom, camera.zoom)
    paint_card(painter, face, scene.index.width)
    painter.restore()
    card = camera.rect(box)
    tab = scene.tab(row) if scene.has_tabs else None
    if tab is not None:
        paint_tab(painter, card, tab, camera.zoom, on_path=face.outline in ("path", "current"))
    count = scene.places.folded.get(scene.card(row), 0) if scene.places.folded else 0
    if count:
        paint_fold(painter, card, count, camera.zoom, down=scene.is_down)
