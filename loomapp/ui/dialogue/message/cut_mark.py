"""The line between two messages where what is sent begins or ends for want of room."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from loomapp.core.context.truncation import STRATEGIES
from loomapp.ui import figures
from loomapp.ui.dialogue.script.entries import Cut
from loomapp.ui.look import theme
from loomapp.ui.strings import tr

HEIGHT_PX = 32
ICON_PX = 14
GAP_PX = 8


def words_of(cut: Cut) -> str:
    """Return the words of a mark, in one line."""
    translate = QCoreApplication.translate
    if cut.place == "again":
        return translate("CutMark", "Sent again from here")
    if cut.count == 1:
        count = translate("CutMark", "no room for 1 message")
    else:
        count = translate("CutMark", "no room for {0} messages").format(figures.number(cut.count))
    sentence = {
        "start": translate("CutMark", "Not sent above this line: {0}"),
        "gap": translate("CutMark", "Not sent from here: {0}"),
        "end": translate("CutMark", "Not sent below this line: {0}"),
    }[cut.place]
    return sentence.format(count)


def reason_of(cut: Cut) -> str:
    """Return why the context is cut there: what the strategy of the tree does."""
    strategy = STRATEGIES.get(cut.strategy)
    return "" if strategy is None else f"“{tr(strategy.title)}” {tr(strategy.reason)}"


def paint_cut(painter: QPainter, cut: Cut, width: int) -> None:
    """Draw a mark across the top of a message."""
    font = theme.font("caption")
    painter.setFont(font)
    room = width - 2 * GAP_PX - ICON_PX
    words = QFontMetricsF(font).elidedText(words_of(cut), Qt.TextElideMode.ElideRight, room)
    wide = QFontMetricsF(font).horizontalAdvance(words) + ICON_PX + 6
    left, middle = (width - wide) / 2, HEIGHT_PX / 2 - 4
    pen = QPen(theme.colour("border.strong"), 1, Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.drawLine(0, round(middle), round(left - GAP_PX), round(middle))
    painter.drawLine(round(left + wide + GAP_PX), round(middle), width, round(middle))
    icon = "corner-down-right" if cut.place == "again" else "scissors"
    theme.paint(painter, icon, "text.muted", QRectF(left, middle - ICON_PX / 2, ICON_PX, ICON_PX))
    painter.setPen(theme.colour("text.muted"))
    rect = QRectF(left + ICON_PX + 6, middle - 8, wide, 16)
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, words)
