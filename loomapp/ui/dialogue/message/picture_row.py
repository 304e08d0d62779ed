"""The pictures of a message: small, side by side, each a button that shows it large."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from loomapp.core.model.content import Image
from loomapp.ui.media.picture import Picture
from loomapp.ui.media.thumbnails import Thumbnails

GAP_PX = 8
BELOW_PX = 8


class PictureRow(QWidget):
    """Images of a message, in lines that wrap where the width ends."""

    chosen = Signal(object)  # Image: it is to be shown large

    def __init__(self, thumbnails: Thumbnails, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pictureRow")
        self._thumbnails = thumbnails
        self._pictures: list[Picture] = []

    @property
    def pictures(self) -> list[QWidget]:
        return list(self._pictures)

    def show_images(self, images: tuple[Image, ...], width_px: int) -> int:
        """Show images at a width; return the height they take."""
        if tuple(picture.image for picture in self._pictures) != images:
            for picture in self._pictures:
                picture.hide()
                picture.deleteLater()
            self._pictures = [Picture(image, self._thumbnails, self) for image in images]
            for picture in self._pictures:
                picture.clicked.connect(self.on_clicked)
                picture.show()
        return self._lay_out(width_px)

    def on_clicked(self) -> None:
        picture = self.sender()
        if isinstance(picture, Picture):
            self.chosen.emit(picture.image)

    def _lay_out(self, width_px: int) -> int:
        x = y = high = 0
        for picture in self._pictures:
            if x and x + picture.width() > width_px:
                x, y, high = 0, y + high + GAP_PX, 0
            picture.move(x, y)
            x += picture.width() + GAP_PX
            high = max(high, picture.height())
        return y + high + BELOW_PX if self._pictures else 0
