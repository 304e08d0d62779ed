"""Icons: Lucide drawings in the colour of a role, sharp at every device pixel ratio.

Qt's own SVG icons read a file whenever they have to draw, so an icon is a coloured copy of its drawing in a
temporary folder: a new theme writes the copies anew and every icon in every button follows. (An icon engine
written in Python was tried: it crashes when Qt copies the icon.)
"""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from loomapp import places
from loomapp.temporary import TemporaryFolder
from loomapp.ui.look import tokens

DRAWN = 24  # units, both ways
WORDS_GAP_PX = 4  # between an icon and words, beside the 4 px that styles leave
STROKE = 1.75  # in units of the 24 × 24 drawing
SMALL_STROKE = 2.0  # below 14 px; thinner ones turn grey

_copies: dict[Path, tuple[str, str, float, bool, int]] = {}


@cache
def drawing(name: str) -> str:
    """The SVG text of an icon. Raises: FileNotFoundError for an unknown name."""
    return places.resource(f"icons/{name}.svg").read_text(encoding="utf-8")


def coloured(name: str, colour: str, *, size: float = 16, filled: bool = False, gap: int = 0) -> str:
    """An icon's SVG text in a colour, its stroke weighted for a size in px, with `gap` px bare behind it."""
    stroke = STROKE if size >= 14 else SMALL_STROKE
    text = drawing(name).replace('stroke-width="2"', f'stroke-width="{stroke}"')
    if filled:
        text = text.replace('fill="none"', 'fill="currentColor"', 1)
    if gap:
        width = f"{DRAWN * (size + gap) / size:g}"
        text = text.replace('width="24"', f'width="{width}"', 1)
        text = text.replace('viewBox="0 0 24 24"', f'viewBox="0 0 {width} 24"', 1)
    return text.replace("currentColor", colour)


@cache
def _renderer(name: str, colour: str, size: float, filled: bool) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(coloured(name, colour, size=size, filled=filled).encode()))


def paint(painter: QPainter, name: str, role: str, rect: QRectF, *, filled: bool = False) -> None:
    renderer = _renderer(name, tokens.colour(role).name(), rect.width(), filled)
    renderer.render(painter, rect)


def pixmap(name: str, role: str, size: float = 16, ratio: float = 1.0) -> QPixmap:
    """An icon as a picture of `size` logical px for a device pixel ratio, in the theme on the screen."""
    result = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    result.setDevicePixelRatio(ratio)
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    paint(painter, name, role, QRectF(0, 0, size, size))
    painter.end()
    return result


@cache
def icon(name: str, role: str = "text.secondary", size: int = 16, *, filled: bool = False) -> QIcon:
    """An icon for buttons and actions; it follows the theme and greys out when disabled."""
    result = QIcon(str(copy(name, role, size, filled=filled)))
    result.addFile(str(copy(name, "text.disabled", size, filled=filled)), QSize(), QIcon.Mode.Disabled)
    return result


def put_beside_words(
    button: QAbstractButton, name: str, role: str = "text.secondary", size: int = 16
) -> None:
    """Give a button with words an icon that stands as far from them as everywhere else."""
    files = (copy(name, each, size, gap=WORDS_GAP_PX) for each in (role, "text.disabled"))
    shown = QIcon(str(next(files)))
    shown.addFile(str(next(files)), QSize(), QIcon.Mode.Disabled)
    button.setIcon(shown)
    button.setIconSize(QSize(size + WORDS_GAP_PX, size))


def copy(name: str, role: str, size: float = 16, *, filled: bool = False, gap: int = 0) -> Path:
    """Return the file of a coloured icon; it follows the theme."""
    kind = f"{'-filled' if filled else ''}{f'-{gap}' if gap else ''}"
    file = _folder() / f"{name}-{role}-{size:g}{kind}.svg"
    if file not in _copies:
        _copies[file] = (name, role, size, filled, gap)
        _write(file)
    return file


def recolour() -> None:
    """Bring every icon into the colours of the theme on the screen."""
    for file in _copies:
        _write(file)
    QPixmapCache.clear()


def _write(file: Path) -> None:
    name, role, size, filled, gap = _copies[file]
    colour = tokens.colour(role).name()
    file.write_text(coloured(name, colour, size=size, filled=filled, gap=gap), encoding="utf-8")


@cache
def _folder() -> Path:
    folder = TemporaryFolder()
    _folders.append(folder)
    return folder.path


_folders: list[TemporaryFolder] = []


@atexit.register
def forget_files() -> None:
    """Delete the drawings that style sheets read; nothing is drawn any more."""
    while _folders:
        _folders.pop().close()
