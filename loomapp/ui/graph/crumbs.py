"""Crumbs above the graph: the tree, a branch that stands alone, the way to where one is, and the zoom bar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from loomapp.ui.graph.scene.card_text import squeezed
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.labels import label, set_tip
from loomapp.ui.widgets.layouts import fill, horizontal
from loomapp.ui.widgets.page import Menu

ICON_SIZE = 16


class ZoomBar(QWidget):
    """Buttons in a corner of the graph; what they want is said by signals."""

    zoom_in_asked = Signal()
    zoom_out_asked = Signal()
    full_size_asked = Signal()
    fit_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("graphZoomBar")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        row = horizontal(self, (2, 2, 2, 2), spacing=2)
        self._framed = True
        smaller = self._button("graphZoomOut", "minus", self.tr("Zoom out"))
        self._percent = self._button("graphZoomPercent", "", self.tr("Zoom to 100 %"))
        self._percent.setFixedWidth(56)
        larger = self._button("graphZoomIn", "plus", self.tr("Zoom in"))
        fit = self._button("graphFit", "scan", self.tr("Fit the whole tree"))
        self._steps = (smaller, larger)
        fill(row, smaller, self._percent, larger, fit)
        smaller.clicked.connect(self.zoom_out_asked)
        self._percent.clicked.connect(self.full_size_asked)
        larger.clicked.connect(self.zoom_in_asked)
        fit.clicked.connect(self.fit_asked)
        self.show_zoom(1.0)

    def show_zoom(self, zoom: float) -> None:
        percent = zoom * 100
        text = f"{percent:.0f} %" if percent >= 1 else f"{percent:.1f} %" if percent >= 0.1 else "< 0.1 %"
        if text != self._percent.text():
            self._percent.setText(text)

    def stand_in_row(self) -> None:
        """Drop the frame: it is part of a row that has a ground of its own."""
        self._framed = False
        self.update()

    def set_short(self, short: bool) -> None:
        """Hide the two steps, which wheel and keys do as well."""
        for button in self._steps:
            button.setHidden(short)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._framed:
            return
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, "border.normal", "surface.panel")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)

    def _button(self, name: str, icon: str, accessible: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        button.setAccessibleName(accessible)
        button.setToolTip(accessible)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if icon:
            button.setIcon(theme.icon(icon, size=ICON_SIZE))
        else:
            button.setFont(theme.numbers("small"))
        return button


HEIGHT_PX = 36
MARGIN_PX = 12
GAP_PX = 8
LEAST_FOR_WORDS_PX = 240  # left to the crumbs, or the button alone says that one branch is shown
LEAST_FOR_STEPS_PX = 480  # of the row, or zoom has no room for − and +
LEAST_PX = 48  # of a crumb that must give way
READABLE_PX = 88  # of a crumb; where there is less for one, those before it go into a menu
AROUND_PX = 26  # of a crumb: what stands around its words, with the arrow
MENU_WORDS_PX = 320
MOST_CHARACTERS = 200


class Crumb(NamedTuple):
    """Place above the shown one: its node, and its words."""

    node_id: str
    words: str


class Crumbs(QWidget):
    """A row of places, the last one being where one is. What has no room is shortened, the middle first.

    Where that would leave stumps, the first ones stand in a menu behind `…`.
    """

    crumb_clicked = Signal(str)  # node id
    whole_asked = Signal()  # one branch stands alone, and the whole tree is wanted again

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("crumbs")
        self.setAccessibleName(tr("Where you are"))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(self, surface="canvas")
        self.setFixedHeight(HEIGHT_PX)
        self.crumbs: tuple[Crumb, ...] = ()
        self._tool: ZoomBar | None = None
        self._alone = label(tr("Only this branch is shown"), "ui", "muted")
        self._whole = QToolButton(self)
        self._whole.setObjectName("showWholeTree")
        self._whole.setText(tr("Show the whole tree"))
        self._whole.setAccessibleName(self._whole.text())
        self._whole.setFont(theme.font("ui_strong"))
        self._whole.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._whole.clicked.connect(self.whole_asked)
        self._more = QToolButton(self)
        self._more.setObjectName("moreCrumbs")
        self._more.setText("…")
        self._more.setAccessibleName(tr("Places above"))
        self._more.setToolTip(tr("Places above"))
        self._more.setAutoRaise(True)
        self._more.setFont(theme.font("ui"))
        self._more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._more.clicked.connect(self.on_more_clicked)
        self._menu = Menu(self._more)
        self._menu.setObjectName("moreCrumbsMenu")
        self._more.hide()
        self._dropped = 0  # crumbs that stand in the menu
        self._row = QHBoxLayout()
        self._row.setSpacing(2)
        layout = horizontal(self, (MARGIN_PX, 0, MARGIN_PX, 0), spacing=GAP_PX)
        places = QHBoxLayout()
        places.setSpacing(2)
        places.addWidget(self._more)
        places.addLayout(self._row, 1)
        layout.addLayout(places, 1)
        fill(layout, self._alone, self._whole)
        self._whole.hide()
        self._fit()

    def add_zoom(self, bar: ZoomBar) -> None:
        """Add the zoom bar at the right end, where it covers no card."""
        self._tool = bar
        bar.stand_in_row()
        layout = self.layout()
        assert layout is not None, "it has one from the beginning"
        layout.addWidget(bar)
        self._fit()

    def show_alone(self, *, alone: bool) -> None:
        """Say whether one branch stands alone, for as long as it does, and offer the way back."""
        if self._whole.isHidden() == alone:
            self._whole.setHidden(not alone)
            self._fit()

    def show_crumbs(self, crumbs: Sequence[Crumb]) -> None:
        crumbs = tuple(Crumb(c.node_id, unsteered(squeezed(c.words[:MOST_CHARACTERS]))) for c in crumbs)
        if crumbs == self.crumbs:
            return
        before, self.crumbs = self.crumbs, crumbs
        is_same_row = len(crumbs) == len(before)
        if is_same_row:  # other words for the same buttons: one walks on, mostly
            for button, crumb, was in zip(self.buttons(), crumbs, before, strict=True):
                if crumb != was:
                    _name(button, crumb)
            self._fit()
            return
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for i, crumb in enumerate(crumbs):
            arrow = (label("›", "ui", "muted"),) if i else ()
            for widget in (*arrow, self._button(crumb, i, is_last=i == len(crumbs) - 1)):
                self._row.addWidget(widget)
                widget.show()  # or it has no place until the next turn of the event loop
        self._row.addStretch(1)
        self._fit()

    def buttons(self) -> list[QToolButton]:
        """Return a button for each place, from the tree on; those of the menu are hidden."""
        return [widget for widget in self._in_row() if isinstance(widget, QToolButton)]

    def on_more_clicked(self) -> None:
        self._menu.clear()
        for crumb in self.crumbs[: self._dropped]:
            words = self.fontMetrics().elidedText(crumb.words, Qt.TextElideMode.ElideRight, MENU_WORDS_PX)
            action = self._menu.addAction(words.replace("&", "&&"))
            action.triggered.connect(partial(self.crumb_clicked.emit, crumb.node_id))
        self._menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    def _in_row(self) -> list[QWidget]:
        items = (self._row.itemAt(i) for i in range(self._row.count()))
        found = (item.widget() for item in items if item is not None)
        return [widget for widget in found if widget is not None]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, HEIGHT_PX)

    def _fit(self) -> None:
        buttons = self.buttons()
        taken = 0 if self._whole.isHidden() else self._whole.sizeHint().width() + GAP_PX
        if self._tool is not None:
            self._tool.set_short(self.width() < LEAST_FOR_STEPS_PX)
            taken += self._tool.sizeHint().width() + GAP_PX
        words = 0 if self._whole.isHidden() else self._alone.sizeHint().width() + GAP_PX
        has_words = bool(words) and self.width() - taken - words - 2 * MARGIN_PX >= LEAST_FOR_WORDS_PX
        self._alone.setVisible(has_words)
        taken += words if has_words else 0
        if not buttons:
            return
        metrics = [QFontMetrics(button.font()) for button in buttons]
        wide = [m.horizontalAdvance(c.words) + 2 for m, c in zip(metrics, self.crumbs, strict=True)]
        room = self.width() - taken - 2 * MARGIN_PX
        self._dropped, given = self._divided(wide, room)
        self._more.setHidden(self._dropped == 0)
        place = -1
        for widget in self._in_row():  # each but the first after its arrow
            place += not isinstance(widget, QLabel)
            widget.setHidden(place + isinstance(widget, QLabel) < self._dropped)
        shown = list(zip(buttons, metrics, self.crumbs, strict=True))[self._dropped :]
        for (button, m, crumb), most in zip(shown, given, strict=True):
            elided = m.elidedText(crumb.words, Qt.TextElideMode.ElideRight, most)
            button.setText(elided.replace("&", "&&"))
        if (layout := self.layout()) is not None:
            layout.activate()  # at once: who clicks a moment later means what is seen then

    def _divided(self, wide: Sequence[int], room: int) -> tuple[int, list[int]]:
        """Return the number of crumbs that stand in the menu, and the px that the words of each other one
        get.
        """
        for dropped in range(len(wide)):
            more = self._more.sizeHint().width() + 2 if dropped else 0
            left = room - AROUND_PX * (len(wide) - dropped) - more
            given = _given(wide[dropped:], left)
            readable = (min(most, READABLE_PX) for most in wide[dropped:])
            if all(px >= least for px, least in zip(given, readable, strict=True)):
                break
        return dropped, given

    def _button(self, crumb: Crumb, place: int, *, is_last: bool) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("crumb")
        button.setAutoRaise(True)
        button.setFont(theme.font("ui_strong" if is_last else "ui"))
        _name(button, crumb)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.crumb_clicked.emit(self.crumbs[place].node_id))
        return button


def _name(button: QToolButton, crumb: Crumb) -> None:
    button.setAccessibleName(crumb.words)
    set_tip(button, crumb.words)


def _given(wide: Sequence[int], room: int) -> list[int]:
    """Return every crumb whole if there is room; else all but the last share what it leaves, which
    is half.
    """
    if sum(wide) <= room:
        return list(wide)
    given = _shared(wide[:-1], max(room // 2, room - wide[-1]))
    return [*given, max(LEAST_PX, min(wide[-1], room - sum(given)))]


def _shared(wide: Sequence[int], room: int) -> list[int]:
    """Room shared out in px: the same to each, but what a short one does not need goes to the others."""
    shares = dict.fromkeys(range(len(wide)), 0)
    for place, number in enumerate(sorted(shares, key=wide.__getitem__)):
        shares[number] = min(wide[number], max(LEAST_PX, room // (len(wide) - place)))
        room -= shares[number]
    return list(shares.values())
