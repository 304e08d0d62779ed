"""Rows around the body of a message: where what is sent is cut, the reasoning before it, and its pictures."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.model.content import Image
from loomapp.ui import figures
from loomapp.ui.dialogue.script.entries import Cut
from loomapp.ui.look import theme
from loomapp.ui.media.pictures import Picture, Thumbnails
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button

MARK_PX = 32
ICON_PX = 14
MARK_GAP_PX = 8


def words_of(cut: Cut) -> str:
    if cut.place == "again":
        return tr("Sent again from here")
    if cut.count == 1:
        count = tr("no room for 1 message")
    else:
        count = tr("no room for {0} messages").format(figures.number(cut.count))
    sentence = {
        "start": tr("Not sent above this line: {0}"),
        "gap": tr("Not sent from here: {0}"),
        "end": tr("Not sent below this line: {0}"),
    }[cut.place]
    return sentence.format(count)


def reason_of(cut: Cut) -> str:
    """Return why the context is cut there: what the strategy of the tree does."""
    strategy = STRATEGIES.get(cut.strategy)
    return "" if strategy is None else f"“{tr(strategy.title)}” {tr(strategy.reason)}"


def paint_cut(painter: QPainter, cut: Cut, width: int) -> None:
    font = theme.font("caption")
    painter.setFont(font)
    room = width - 2 * MARK_GAP_PX - ICON_PX
    words = QFontMetricsF(font).elidedText(words_of(cut), Qt.TextElideMode.ElideRight, room)
    wide = QFontMetricsF(font).horizontalAdvance(words) + ICON_PX + 6
    left, middle = (width - wide) / 2, MARK_PX / 2 - 4
    pen = QPen(theme.colour("border.strong"), 1, Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.drawLine(0, round(middle), round(left - MARK_GAP_PX), round(middle))
    painter.drawLine(round(left + wide + MARK_GAP_PX), round(middle), width, round(middle))
    icon = "corner-down-right" if cut.place == "again" else "scissors"
    theme.paint(painter, icon, "text.muted", QRectF(left, middle - ICON_PX / 2, ICON_PX, ICON_PX))
    painter.setPen(theme.colour("text.muted"))
    rect = QRectF(left + ICON_PX + 6, middle - 8, wide, 16)
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, words)


LINK_PX = 5  # what a link keeps free around its words
INSET_PX = 12
LONGEST = 20_000  # characters shown; more would hold the window up


class ReasoningRow(QWidget):
    """Link, and below it, once it was pressed, the reasoning in quiet words."""

    toggled = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("reasoningRow")
        self._link = push_button("reasoningLink", parent=self, kind="link")
        self._link.clicked.connect(self.toggled)
        self._words = QLabel(self)
        self._words.setObjectName("reasoningText")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self._words.setFont(theme.font("small"))
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.set_look(self._words, tone="secondary")

    @property
    def link(self) -> QPushButton:
        return self._link

    def show_reasoning(self, text: str, width_px: int, *, is_open: bool, grows: bool) -> int:
        """Show a reasoning at a width, or only how long it is; return the height it takes."""
        count = figures.number(len(text.split()))
        words = self.tr("Reasoning… {0} words") if grows else self.tr("Reasoning, {0} words")
        self._link.setText(words.format(count))
        self._link.setIcon(theme.icon("chevron-down" if is_open else "chevron-right", "text.link", 14))
        self._link.setAccessibleName(words.format(count))
        self._link.setToolTip(self.tr("What the model thought before it answered. It is never sent again."))
        height = theme.px("control.hit")
        self._link.setGeometry(-LINK_PX, 0, self._link.sizeHint().width(), height)
        self._words.setVisible(is_open)
        if is_open:
            shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
            if self._words.text() != shown:
                self._words.setText(shown)
            needed = self._words.heightForWidth(width_px - INSET_PX)
            self._words.setGeometry(INSET_PX, height, width_px - INSET_PX, needed)
            height += needed + 8
        return height


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
