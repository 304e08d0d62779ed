"""Floors and rivals, plainly made: what our own numbers are printed beside. Times in milliseconds."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsItem,
    QGraphicsPathItem,
    QGraphicsScene,
    QGraphicsView,
    QLabel,
    QStyleOptionGraphicsItem,
    QWidget,
)

CARD_PX = 220.0
COLUMN_PX = 300.0
FAR = 0.35  # the zoom below which letters are not worth drawing


def timed_ms(work: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def run_ms(program: Sequence[str]) -> float:
    """From the start of a process to its end."""
    return timed_ms(lambda: subprocess.run(program, check=True, capture_output=True))


BARE_WINDOW = """
import os
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.resize(1400, 900)
window.show()
app.processEvents()
os._exit(0)
"""


def bare_window_ms() -> float:
    """A process that shows an empty QMainWindow."""
    return run_ms([sys.executable, "-c", BARE_WINDOW])


class RawCommits:
    """Single rows of 600 characters committed by sqlite3 itself: WAL, FULL."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for statement in (
            "PRAGMA journal_mode=WAL",
            "PRAGMA synchronous=FULL",
            "CREATE TABLE rows(id INTEGER PRIMARY KEY, parent INTEGER, body TEXT)",
        ):
            self._connection.execute(statement).close()

    def one_ms(self) -> float:
        """One of them."""
        return timed_ms(self._commit)

    def _commit(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO rows(parent, body) VALUES (?, ?)", (1, "x" * 600))
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def raw_backup(path: Path, to: Path) -> None:
    """SQLite's own copy of a file, on the disk, unlooked at."""
    source, copy = sqlite3.connect(path), sqlite3.connect(to)
    source.backup(copy)
    copy.close()
    source.close()
    descriptor = os.open(to, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def joined(texts: Sequence[str]) -> str:
    """The least that assembling a path can be."""
    return "\n\n".join(texts)


# Layout in plain Python


def buchheim(  # noqa: C901 - in one piece: the algorithm's calls are dear enough as they are
    parents: Sequence[int], heights: Sequence[float], gap: float
) -> list[float]:
    """The middle of each card of a tidy tree, node by node without recursion.

    `parents[i] < i`, the root first. Source: C. Buchheim, M. Jünger, S. Leipert, "Improving Walker's
    Algorithm to Run in Linear Time", 2002.
    """
    count = len(parents)
    children: list[list[int]] = [[] for _ in range(count)]
    number = [0] * count
    for node in range(1, count):
        siblings = children[parents[node]]
        number[node] = len(siblings)
        siblings.append(node)
    middle, shift_below, shift, change = ([0.0] * count for _ in range(4))
    thread, ancestor = [-1] * count, list(range(count))

    def upper(node: int) -> int:
        return children[node][0] if children[node] else thread[node]

    def lower(node: int) -> int:
        return children[node][-1] if children[node] else thread[node]

    def apart(left: int, right: int) -> float:
        return (heights[left] + heights[right]) / 2 + gap

    def push(first: int, node: int, by: float) -> None:
        between = number[node] - number[first]
        change[node] -= by / between
        shift[node] += by
        change[first] += by / between
        middle[node] += by
        shift_below[node] += by

    def settle(node: int, standard: int) -> int:
        """Push a subtree below those before it, along their outlines."""
        inner_right = outer_right = node
        inner_left = children[parents[node]][number[node] - 1]
        outer_left = children[parents[node]][0]
        in_right, out_right = shift_below[inner_right], shift_below[outer_right]
        in_left, out_left = shift_below[inner_left], shift_below[outer_left]
        while lower(inner_left) >= 0 and upper(inner_right) >= 0:
            inner_left, inner_right = lower(inner_left), upper(inner_right)
            outer_left, outer_right = upper(outer_left), lower(outer_right)
            ancestor[outer_right] = node
            overlap = (middle[inner_left] + in_left) - (middle[inner_right] + in_right)
            overlap += apart(inner_left, inner_right)
            if overlap > 0:
                up = ancestor[inner_left]
                push(up if parents[up] == parents[node] and up else standard, node, overlap)
                in_right += overlap
                out_right += overlap
            in_left += shift_below[inner_left]
            in_right += shift_below[inner_right]
            out_left += shift_below[outer_left]
            out_right += shift_below[outer_right]
        if lower(inner_left) >= 0 and lower(outer_right) < 0:
            thread[outer_right] = lower(inner_left)
            shift_below[outer_right] += in_left - out_right
        if upper(inner_right) >= 0 and upper(outer_left) < 0:
            thread[outer_left] = upper(inner_right)
            shift_below[outer_left] += in_right - out_left
            standard = node
        return standard

    downwards = _preorder(children)
    standards = [-1] * count
    for node in reversed(downwards):
        before = children[parents[node]][number[node] - 1] if node and number[node] else -1
        place = middle[before] + apart(before, node) if before >= 0 else 0.0
        if children[node]:
            moved = 0.0
            steps = 0.0
            for child in reversed(children[node]):
                middle[child] += moved
                shift_below[child] += moved
                steps += change[child]
                moved += shift[child] + steps
            centre = (middle[children[node][0]] + middle[children[node][-1]]) / 2
            middle[node] = place if before >= 0 else centre
            shift_below[node] = place - centre if before >= 0 else 0.0
        else:
            middle[node] = place
        if before >= 0:
            above = parents[node]
            standard = standards[above] if standards[above] >= 0 else children[above][0]
            standards[above] = settle(node, standard)
    offset = [0.0] * count
    for node in downwards[1:]:
        offset[node] = offset[parents[node]] + shift_below[parents[node]]
        middle[node] += offset[node]
    return middle


def _preorder(children: Sequence[Sequence[int]]) -> list[int]:
    """Parents before children, last child first, so that backwards every family is done from its first."""
    found: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(children[node])
    return found


# A scene of items


class _Card(QGraphicsItem):
    font, ink, ground, bar = QFont(), QColor("#c0caf5"), QColor("#24283b"), QColor("#7aa2f7")
    sees_detail = True

    def __init__(self, text: str, height: float) -> None:
        super().__init__()
        self.text = text
        self.box = QRectF(0, -height / 2, CARD_PX, height)

    def boundingRect(self) -> QRectF:
        return self.box

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self.sees_detail and option.levelOfDetailFromTransform(painter.worldTransform()) < FAR:
            painter.fillRect(self.box, self.bar)
            return
        painter.setPen(self.bar)
        painter.setBrush(self.ground)
        painter.drawRoundedRect(self.box, 6, 6)
        painter.setFont(self.font)
        painter.setPen(self.ink)
        painter.drawText(self.box.adjusted(10, 5, -8, -5), int(Qt.TextFlag.TextWordWrap), self.text)


class _Edge(QGraphicsPathItem):
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if option.levelOfDetailFromTransform(painter.worldTransform()) >= FAR:
            super().paint(painter, option, widget)
            return
        start = self.path().elementAt(0)
        painter.setPen(QPen(self.pen().color(), 0))
        painter.drawLine(QPointF(start.x, start.y), self.path().currentPosition())


class ItemScene:
    """A QGraphicsScene with an item for each node and edge, drawn with less detail from afar."""

    def __init__(
        self, columns: Sequence[int], middles: Sequence[float], parents: Sequence[int], texts: Sequence[str]
    ) -> None:
        self._scene = QGraphicsScene()
        self._items: list[QGraphicsItem] = []
        pen = QPen(QColor("#565f89"), 1.5)
        for column, middle, text in zip(columns, middles, texts, strict=True):
            card = _Card(text, 62.0)
            card.setPos(column * COLUMN_PX, middle)
            self._add(card)
        for node in range(1, len(parents)):
            above = parents[node]
            start = QPointF(columns[above] * COLUMN_PX + CARD_PX, middles[above])
            end = QPointF(columns[node] * COLUMN_PX, middles[node])
            bend = QPointF((end.x() - start.x()) / 2, 0)
            path = QPainterPath(start)
            path.cubicTo(start + bend, end - bend, end)
            edge = _Edge(path)
            edge.setPen(pen)
            self._add(edge)
        self.view = QGraphicsView(self._scene)
        self.view.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.view.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.view.resize(1600, 1000)

    def _add(self, item: QGraphicsItem) -> None:
        self._scene.addItem(item)
        self._items.append(item)

    def show(self) -> None:
        """The first frame."""
        self.view.show()
        while not (window := self.view.windowHandle()) or not window.isExposed():
            QApplication.processEvents()
        self.view.viewport().repaint()

    def fit_all(self) -> None:
        """Everything at once, drawn."""
        box = self._scene.itemsBoundingRect() if self._items else QRectF(0, 0, 1, 1)
        self.view.resetTransform()
        self.view.scale(1600 / max(1.0, box.width()), 1000 / max(1.0, box.height()))
        self.view.viewport().repaint()

    def frame_ms(self) -> float:
        """A frame after a small move."""
        bar = self.view.horizontalScrollBar()
        bar.setValue(bar.value() + (9 if bar.value() % 2 else -9))
        return timed_ms(self.view.viewport().repaint)


class NaiveAnswer(QLabel):
    """A label that is given its whole text anew with each token."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setWordWrap(True)
        self.resize(600, 800)
        self.show()

    def grow(self, token: str) -> None:
        """One token more."""
        self.setText(self.text() + token)
        self.repaint()


def depths(parents: Sequence[int]) -> list[int]:
    """The column of each node."""
    found = [0] * len(parents)
    for node in range(1, len(parents)):
        found[node] = found[parents[node]] + 1
    return found


def overlaps(parents: Sequence[int], middles: Sequence[float], heights: Sequence[float], gap: float) -> int:
    """How many cards of a column come too near to the one before; for the test of `buchheim`."""
    columns: dict[int, list[int]] = {}
    for node, depth in enumerate(depths(parents)):
        columns.setdefault(depth, []).append(node)
    return sum(
        middles[b] - middles[a] < (heights[a] + heights[b]) / 2 + gap - 1e-6
        for nodes in columns.values()
        for a, b in pairwise(sorted(nodes, key=middles.__getitem__))
    )
