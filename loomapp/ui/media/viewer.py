"""An image shown large, in a window of its own; it is decoded beside the window, and goes with Esc."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from loomapp.core.media import Media
from loomapp.core.model.content import Image
from loomapp.core.progress import Progress
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui.look import theme
from loomapp.ui.media.picture import facts_of, missing_words, name_of
from loomapp.ui.media.thumbnails import decoded
from loomapp.ui.strings import tr
from loomapp.ui.widgets.chip import paint_picture
from loomapp.ui.widgets.labels import label

SIDE_PX = 3000
LARGEST = 0.8  # of the screen


class ImageViewer(QDialog):
    """Window of one image; not modal: several can be looked at beside the text."""

    def __init__(self, image: Image, media: Media, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("imageViewer")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(name_of(image))
        self._image = image
        self._canvas = _Canvas(self)
        self._canvas.setAccessibleName(facts_of(image))
        self._words = label(facts_of(image), "small", "secondary", wrap=True)
        self._copy = QPushButton(tr("Copy image"), self)
        self._copy.setObjectName("copyImage")
        self._copy.setEnabled(False)
        self._copy.clicked.connect(self.on_copy)
        foot = QHBoxLayout()
        foot.addWidget(self._words, 1)
        foot.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.addWidget(self._canvas, 1)
        column.addLayout(foot)
        self.resize(self._fitting())
        self._task = BackgroundTask(partial(_decode, media, image.ref), self)
        self._task.done.connect(self.on_decoded)
        self._task.start()
        self.finished.connect(lambda _: self._task.cancel())

    def on_decoded(self, found: list[QImage]) -> None:
        if found:
            self._canvas.show_image(found[0])
            self._copy.setEnabled(True)
        else:
            self._words.setText(missing_words(self._image))

    def on_copy(self) -> None:
        if self._canvas.image is not None:
            QGuiApplication.clipboard().setImage(self._canvas.image)

    def _fitting(self) -> QSize:
        screen = self.screen().availableSize() * LARGEST
        size = QSize(self._image.width or 480, self._image.height or 360)
        if size.width() > screen.width() or size.height() > screen.height():
            size.scale(screen, Qt.AspectRatioMode.KeepAspectRatio)
        return (size + QSize(24, 80)).expandedTo(QSize(360, 240))


class _Canvas(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.image: QImage | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_image(self, image: QImage) -> None:
        self.image = image
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        if self.image is not None:
            paint_picture(painter, rect, self.image)
        else:
            corner = rect.center() - QPointF(12, 12)
            theme.paint(painter, "image", "text.muted", QRectF(corner, QSizeF(24, 24)))
        painter.end()


def _decode(media: Media, ref: str, _progress: Progress) -> list[QImage]:
    image = decoded(media.read(ref), SIDE_PX)
    return [] if image is None else [image]
