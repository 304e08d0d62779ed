"""The page of an empty tree: the shape of a tree, drawn, the ways into it, and how the model is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import Mode
from loomapp.ui.first_page.model_pill import ModelPill
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import Scrolled, horizontal, vertical

WAY_SIZE = QSize(236, 72)
NARROWEST_PX = 150
SQUARE_PX = 36
PADDING_PX = 14
SIGN_PX = 16  # of the icon where the words need the room below it


class WayButton(QAbstractButton):
    """Wide button for a way in; the checked one is how the tree is now."""

    def __init__(self, icon: str, title: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._title, self._words = icon, title, words
        self.is_folded = False
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(words)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMinimumWidth(NARROWEST_PX)
        self.setFixedHeight(WAY_SIZE.height())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return WAY_SIZE

    def fits_beside(self, width_px: int) -> bool:
        """Return True if the words have room beside the icon in a button of that width."""
        words_px = QFontMetricsF(theme.font("small")).horizontalAdvance(self._words)
        return words_px <= width_px - SQUARE_PX - 3 * PADDING_PX

    def set_folded(self, is_folded: bool) -> None:
        """Show the words below a small icon and the title, in two lines, or again in one."""
        self.is_folded = is_folded
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame, icon, title and words."""
        painter = theme.smooth_painter(self)
        rect = QRectF(self.rect())
        self._paint_frame(painter, rect)
        (self._paint_folded if self.is_folded else self._paint_beside)(painter, rect)
        painter.end()

    def _paint_folded(self, painter: QPainter, rect: QRectF) -> None:
        room = rect.adjusted(PADDING_PX, 8, -PADDING_PX, -6)
        painter.setFont(theme.font("small"))
        flags = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
        below = painter.boundingRect(room.adjusted(0, 22, 0, 0), flags, self._words)
        room.translate(0, max(0.0, room.bottom() - below.bottom()) / 2)  # in the middle
        tint = "accent.base" if self.isChecked() else "text.secondary"
        sign = QRectF(room.left(), room.top() + 2, SIGN_PX, SIGN_PX)
        theme.paint(painter, self._icon, self._ink(tint), sign)
        beside = room.adjusted(SIGN_PX + 8, 0, 0, 0)
        self._paint_line(painter, "ui_strong", "text.primary", self._title, beside, room.top())
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour(self._ink("text.secondary")))
        painter.drawText(room.adjusted(0, 22, 0, 8), flags, self._words)

    def _paint_beside(self, painter: QPainter, rect: QRectF) -> None:
        square = QRectF(PADDING_PX, (rect.height() - SQUARE_PX) / 2, SQUARE_PX, SQUARE_PX)
        theme.draw_in(painter, fill="accent.soft" if self.isChecked() else "surface.hover")
        painter.drawRoundedRect(square, 6, 6)
        tint = "accent.base" if self.isChecked() else "text.secondary"
        theme.paint(painter, self._icon, self._ink(tint), square.adjusted(9, 9, -9, -9))
        room = rect.adjusted(square.right() + PADDING_PX, 0, -PADDING_PX, 0)
        middle = rect.center().y()
        self._paint_line(painter, "ui_strong", "text.primary", self._title, room, middle - 20)
        self._paint_line(painter, "small", "text.secondary", self._words, room, middle)

    def _ink(self, role: str) -> str:
        return role if self.isEnabled() else "text.disabled"

    def _paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        focused, strong = self.hasFocus(), self.isChecked()
        edge = "accent.focus" if focused else "accent.base" if strong else "border.strong"
        width = theme.metric("control.focus_width") if focused or strong else 1.0
        hovered = self.underMouse() and self.isEnabled()
        theme.draw_in(painter, edge, "surface.hover" if hovered else "surface.raised", width=width)
        inside = rect.adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(inside, theme.metric("radius.card"), theme.metric("radius.card"))

    def _paint_line(
        self, painter: QPainter, kind: str, role: str, words: str, room: QRectF, top: float
    ) -> None:
        font = theme.font(kind)
        painter.setFont(font)
        painter.setPen(theme.colour(self._ink(role)))
        line = QRectF(room.left(), top, room.width(), 20)
        shown = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


DRAWING_SIZE = QSize(474, 234)
CARD = (164.0, 56.0)
RIGHT_X = 309.0
TOPS = (0.5, 88.5, 176.5)
BARS = (120.0, 92.0, 108.0)  # how long the answers that are not there yet look
CORNER_PX = 8.0


class FirstDrawing(QWidget):
    """Drawing of a first tree; it says nothing that the words below it do not say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("firstDrawing")
        self.setFixedSize(DRAWING_SIZE)
        self._writer = tr("You")
        self._models: tuple[tuple[str, str], ...] = (("", "agent.a1"),)

    def show_names(self, writer: str, models: Sequence[tuple[str, str]]) -> None:
        """Show the names of the writer and of the models that would answer, each in its tint."""
        if (self._writer, self._models) != (writer, tuple(models)):
            self._writer, self._models = writer, tuple(models)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        written = QRectF(1, TOPS[1], *CARD)
        answers = [QRectF(RIGHT_X, top, *CARD) for top in TOPS]
        for number, answer in enumerate(answers):
            self._paint_thread(painter, written, answer, is_path=number == 1)
        theme.draw_in(painter, "accent.base", "surface.raised", width=2)
        painter.drawRoundedRect(written, CORNER_PX, CORNER_PX)
        self._write(painter, written, "caption", "text.primary", self._writer, 6)
        self._write(painter, written, "small", "text.secondary", tr("Your first line"), 26)
        for answer, bar, (name, tint) in zip(answers, BARS, cycle(self._models), strict=False):
            self._paint_answer(painter, answer, bar, name, tint)
        painter.end()

    def _paint_thread(self, painter: QPainter, start: QRectF, end: QRectF, *, is_path: bool) -> None:
        here, there = QPointF(start.right(), start.center().y()), QPointF(end.left(), end.center().y())
        way = QPainterPath(here)
        middle = (here.x() + there.x()) / 2
        way.cubicTo(QPointF(middle, here.y()), QPointF(middle, there.y()), there)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(
            QPen(theme.colour("accent.base" if is_path else "border.strong"), 2.5 if is_path else 1.25)
        )
        painter.drawPath(way)

    def _paint_answer(self, painter: QPainter, rect: QRectF, bar: float, name: str, tint: str) -> None:
        pen = QPen(theme.colour("border.strong"), 1.25)
        pen.setDashPattern([3, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect, CORNER_PX, CORNER_PX)
        self._write(painter, rect, "caption", tint, name, 6)
        theme.draw_in(painter, fill="border.normal")
        painter.drawRoundedRect(QRectF(rect.left() + 12, rect.top() + 32, bar, 6), 3, 3)

    def _write(
        self, painter: QPainter, rect: QRectF, kind: str, role: str, words: str, down_px: float
    ) -> None:
        theme.write_in(painter, kind, role)
        line = QRectF(rect.left() + 12, rect.top() + down_px, rect.width() - 24, 20)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)


WIDTH_PX = 732
WAYS_GAP_PX, LINKS_GAP_PX = 12, 24
SIDE_PX = 24
PILL_PX = 640
BAR_PX = 16  # for the bar that a low page is scrolled by
KEYS_FROM_PX = 660  # the keys are shown where there is room for them
DRAWING_FROM_PX = 560
TOP_SHARE, BOTTOM_SHARE = 2, 3


class FirstPage(QWidget):
    """Covers the graph until the tree has a first message. What it offers are wishes; it changes nothing.

    Its parts are made when they are first wanted, or once the window was seen: most trees have a message.
    """

    mode_wanted = Signal(str)  # dialogue or buffer
    import_wanted = Signal()
    sample_wanted = Signal()
    model_file_wanted = Signal()
    key_wanted = Signal()
    pill_came = Signal(object)  # ModelPill: how the model is

    def __init__(self, graph: QWidget) -> None:
        super().__init__(graph)
        self.setObjectName("firstRunPage")
        self.setAccessibleName(tr("An empty tree"))
        self._pill: ModelPill | None = None
        graph.installEventFilter(self)
        self.hide()

    @property
    def pill(self) -> ModelPill:
        """Return what says how the model is."""
        return self.begin()

    def begin(self) -> ModelPill:
        """Make the parts, if they are not there yet; return the one that says how the model is."""
        if self._pill is not None:
            return self._pill
        pill = self._pill = ModelPill(self)
        self.drawing = FirstDrawing(self)
        self._headline = label("", "display", wrap=True)
        self._headline.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._headline.setObjectName("firstHeadline")
        self._promise = label(
            tr("Every answer is kept, every change can be taken back, and you always see what is sent."),
            "ui",
            "secondary",
            wrap=True,
        )
        self._promise.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._ways: dict[Mode, WayButton] = {
            "dialogue": WayButton("message-square", tr("Dialogue"), tr("Talk, branch and compare"), self),
            "buffer": WayButton("book-open", tr("Buffer"), tr("Write prose with a model"), self),
        }
        for mode, way in self._ways.items():
            way.setCheckable(True)
            way.setObjectName(f"{mode}Way")
        self._ways["dialogue"].clicked.connect(self.on_dialogue_clicked)
        self._ways["buffer"].clicked.connect(self.on_buffer_clicked)
        self._import = WayButton("upload", tr("Import"), tr("Chats, looms, documents"), self)
        self._import.setObjectName("importWay")
        self._import.clicked.connect(self.import_wanted)
        self._link_buttons: list[QPushButton] = []
        self._links = self._link_row()
        self._keys = QWidget(self)
        self._lay_out(pill)
        self.pill_came.emit(pill)
        return pill

    def show_for(self, mode: Mode, agents: Sequence[Agent]) -> None:
        """Show an empty tree of a mode, and the models that would answer in it."""
        self.begin()
        self.drawing.show_names(tr("You"), [(agent.name, theme.agent_role(agent)) for agent in agents])
        is_dialogue = mode == "dialogue"
        self._headline.setText(
            tr("Write one line. Read three answers.")
            if is_dialogue
            else tr("Begin a page. Read three ways it goes on.")
        )
        for name, way in self._ways.items():
            way.setChecked(name == mode)
        self._fit()
        self.show()
        self.raise_()

    def set_can_write(self, can_write: bool) -> None:
        """Disable other ways in where the grove is only read."""
        self.begin()
        for way in (*self._ways.values(), self._import, *self._link_buttons):
            way.setEnabled(can_write)

    def show_keys(self, keys: tuple[tuple[str, str], ...]) -> None:
        """Show a few keys worth knowing: the key, and what it does."""
        self.begin()
        row = self._keys.layout()
        assert isinstance(row, QHBoxLayout)
        while row.count():
            item = row.takeAt(0)
            if item is not None and (old := item.widget()) is not None:
                old.deleteLater()
        row.addStretch(1)
        for key, does in keys:
            if key:
                row.addWidget(label(key, "caption", "key"))
                row.addWidget(label(does, "small", "secondary"))
                row.addSpacing(16)
        row.addStretch(1)
        if not self.isHidden():
            self._fit()  # others need another width

    def on_dialogue_clicked(self) -> None:
        """Ask for a dialogue; the button shows what is, not what was clicked."""
        self._ways["dialogue"].setChecked(True)
        self.mode_wanted.emit("dialogue")

    def on_buffer_clicked(self) -> None:
        self._ways["buffer"].setChecked(True)
        self.mode_wanted.emit("buffer")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._fit()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.colour("surface.canvas"))
        painter.end()

    def _fit(self) -> None:
        graph = self.parentWidget()
        assert graph is not None, "it stands over the graph"
        self.setGeometry(graph.rect())
        room, height = min(WIDTH_PX, self.width() - 2 * SIDE_PX - BAR_PX), self.height()
        keys_px = self._keys.sizeHint().width()
        self._keys.setVisible(height >= KEYS_FROM_PX and room >= keys_px)
        self.drawing.setVisible(height >= DRAWING_FROM_PX and room >= self.drawing.width())
        is_wide = room >= 3 * NARROWEST_PX + 2 * WAYS_GAP_PX
        directions = QHBoxLayout.Direction
        for row, fits in ((self._ways_row, is_wide), (self._link_line, room >= self._links_px)):
            row.setDirection(directions.LeftToRight if fits else directions.TopToBottom)
        ways = (*self._ways.values(), self._import)
        way_px = (room - (len(ways) - 1) * WAYS_GAP_PX) // len(ways) if is_wide else room
        is_folded = not all(way.fits_beside(way_px) for way in ways)
        for way in ways:
            way.set_folded(is_folded)
        self._link_line.setSpacing(LINKS_GAP_PX if room >= self._links_px else 0)
        self._promise.setVisible(is_wide or height >= DRAWING_FROM_PX)
        self.pill.set_widest(min(PILL_PX, room))

    @property
    def least_px(self) -> int:
        """Height that shows the ways in without scrolling, in px."""
        gaps = theme.px("space.l") + 8 + 2 * theme.px("space.xl") + theme.px("space.l")
        said = [self._headline] if self._promise.isHidden() else [self._headline, self._promise]
        words_px = sum(max(0, words.heightForWidth(words.width())) for words in said)
        return gaps + words_px + self._ways_row.minimumSize().height()

    @property
    def _links_px(self) -> int:
        links = self._link_buttons
        return sum(link.sizeHint().width() for link in links) + LINKS_GAP_PX * (len(links) + 1)

    def _link_row(self) -> QWidget:
        row = QWidget(self)
        line = self._link_line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(LINKS_GAP_PX)
        line.addStretch(1)
        for name, icon, words, wish in self._wishes():
            button = push_button(name, words, row, kind="link")
            theme.put_beside_words(button, icon, "text.link")
            button.clicked.connect(wish)
            line.addWidget(button)
            self._link_buttons.append(button)
        line.addStretch(1)
        return row

    def _wishes(self) -> tuple[tuple[str, str, str, Callable[[], None]], ...]:
        return (
            ("sampleLink", "folder-open", tr("Open the sample"), self.sample_wanted.emit),
            ("modelLink", "cpu", tr("Use a model file of your own"), self.model_file_wanted.emit),
            ("keyLink", "key-round", tr("Add a key"), self.key_wanted.emit),
        )

    def _lay_out(self, pill: ModelPill) -> None:
        QHBoxLayout(self._keys).setContentsMargins(0, 0, 0, 0)
        self._ways_row = QHBoxLayout()
        self._ways_row.setSpacing(WAYS_GAP_PX)
        for way in (*self._ways.values(), self._import):
            self._ways_row.addWidget(way)
        column = vertical(spacing=0)
        column.addSpacing(theme.px("space.l"))
        column.addStretch(TOP_SHARE)
        column.addWidget(self.drawing, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(theme.px("space.xl"))
        column.addWidget(self._headline)
        column.addSpacing(8)
        column.addWidget(self._promise)
        column.addSpacing(theme.px("space.xl"))
        column.addLayout(self._ways_row)
        column.addSpacing(theme.px("space.l"))
        column.addWidget(self._links)
        column.addSpacing(theme.px("space.l"))
        column.addWidget(pill, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(BOTTOM_SHARE)
        column.addWidget(self._keys)
        column.addSpacing(theme.px("space.xl"))
        middle, ground = QWidget(), QWidget()
        middle.setLayout(column)
        middle.setMaximumWidth(WIDTH_PX)
        middle.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        row = horizontal(ground, (SIDE_PX, 0, SIDE_PX, 0))
        row.addWidget(middle)
        outer = vertical(self)
        outer.addWidget(Scrolled(ground, "firstRunArea"))  # a low window scrolls what it has no room for
