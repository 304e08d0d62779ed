"""Rows of a long page that are made where one looks, and go again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QScrollArea, QWidget

from loomapp.session.background.background_work import IdleWork
from loomapp.ui.settings.rows import Heading, SettingRow
from loomapp.ui.widgets.keyboard import focused_beside
from loomapp.ui.widgets.rows import Row


class RowMaker(NamedTuple):
    """A row before it is made."""

    usual_px: int  # how high it is, about
    make: Callable[[QWidget], QWidget]
    words: Callable[[], str] = str  # that it is found by


class RowsInView(QWidget):
    """Column of rows, of which there are those that are in view, and around it.

    There are very many of them, and each has a dozen widgets: all of these would be asked for the page's
    size, and be polished at a change of the theme.
    """

    made = Signal(QWidget)  # row: it shows nothing yet

    def __init__(
        self, makers: Sequence[RowMaker], area: QScrollArea, *, between: tuple[QWidget, QWidget]
    ) -> None:
        """`area` is what scrolls. The keyboard stops there `between` two others."""
        super().__init__(area.widget())
        self._makers, self._area, self._between = makers, area, between
        self._page_px = 0
        self._shown: list[int] = []  # numbers of rows
        self.rows: dict[int, QWidget] = {}
        self._heights: dict[int, int] = {}  # in px, of those that were made at this width
        self._work = IdleWork(self)
        area.verticalScrollBar().valueChanged.connect(self._fill)

    @property
    def is_filled(self) -> bool:
        """True if no row is to come where one looks."""
        return not self._work.isActive()

    def show_only(self, shown: Sequence[int]) -> None:
        """Show the rows of these numbers; a heading that is the first has no line above."""
        self._shown = list(shown)
        for number, row in self.rows.items():
            self._show_first(number, row)
            row.setVisible(number in shown)
        self._measure()
        self._set_tab_order()

    def fit(self, page_px: int) -> None:
        """Let the words of rows give way in a narrow page."""
        self._page_px = page_px
        self._heights.clear()
        for row in self.rows.values():
            if isinstance(row, Row):
                row.fit(page_px)
        self._measure()

    def _show_first(self, number: int, row: QWidget) -> None:
        if isinstance(row, Heading):
            row.set_first(number in self._shown[:1])

    def _measure(self) -> None:
        """Ask the rows how high they are, and place them."""
        self._heights |= {number: self._wanted_px(row) for number, row in self.rows.items()}
        self._place()
        self._fill()

    def event(self, event: QEvent) -> bool:
        """Make room where a row has become higher."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._measure()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._heights.clear()
            self._measure()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill()

    def _fill(self) -> None:
        """Make the rows that are in view, and let go of those that are far from it."""
        if not self.isVisible():
            return
        for number in self.rows.keys() - self._within(1):
            if not _is_in_use(self.rows[number]):
                row = self.rows.pop(number)
                row.hide()
                row.deleteLater()
        if self.is_filled and self._missing() is not None:
            self._work.begin(self._making())

    def _making(self) -> Iterator[None]:
        while (number := self._missing()) is not None:
            self._make(number)
            yield
        self._set_tab_order()

    def _make(self, number: int) -> None:
        row = self.rows[number] = self._makers[number].make(self)
        self._show_first(number, row)
        if isinstance(row, Row):
            row.fit(self._page_px)
        self.made.emit(row)
        row.show()
        self._heights[number] = self._wanted_px(row)
        self._place()

    def make_beside(self, focused: QWidget, *, forward: bool) -> None:
        """Make the row that Tab goes to next: who is faster than the rows come would leave them out."""
        before, after = self._between
        places = range(len(self._shown)) if forward else range(len(self._shown) - 1, -1, -1)
        is_passed = focused is (before if forward else after)
        for number in (self._shown[place] for place in places):
            if is_passed:
                if number not in self.rows:
                    self._make(number)
                if any(not stop.isHidden() for stop in _stops(self.rows[number])):
                    self._set_tab_order()
                    return
            elif number in self.rows and self.rows[number].isAncestorOf(focused):
                is_passed = True

    def _missing(self) -> int | None:
        """Return the next row to be made: what is seen comes first."""
        wanted = *self._within(0), *self._within(0.5)
        return next((number for number in wanted if number not in self.rows), None)

    def _within(self, screens: float) -> list[int]:
        """Return the rows that are in view, or no further from it than some screens."""
        view = self._area.viewport()
        first = self.mapFrom(view, QPoint()).y() - round(screens * view.height())
        last = first + round((1 + 2 * screens) * view.height())
        return [number for number, top, height in self._places() if first < top + height and top < last]

    def _place(self) -> None:
        bottom = 0
        for number, top, height in self._places():
            bottom = top + height
            if number in self.rows:
                self.rows[number].setGeometry(0, top, self.width(), height)
        self.setFixedHeight(bottom)

    def _places(self) -> Iterator[tuple[int, int, int]]:
        """Yield each shown row with its top and height in px."""
        top = 0
        for number in self._shown:
            height = self._heights.get(number, self._makers[number].usual_px)
            yield number, top, height
            top += height

    def _wanted_px(self, row: QWidget) -> int:
        return row.heightForWidth(self.width()) if row.hasHeightForWidth() else row.sizeHint().height()

    def _set_tab_order(self) -> None:
        """Let Tab go through the rows as they are read."""
        rows = [self.rows[number] for number in self._shown if number in self.rows]
        stops = [stop for row in rows for stop in _stops(row)]
        before, after = self._between
        for one, following in pairwise([before, *stops, after]):
            QWidget.setTabOrder(one, following)


def _stops(row: QWidget) -> list[QWidget]:
    return row.stops if isinstance(row, Row | Heading) else []


def _is_in_use(row: QWidget) -> bool:
    """True if the keyboard is in a row, or something is typed in it that is not saved."""
    focused = focused_beside(row)
    if focused is not None and row.isAncestorOf(focused):
        return True
    control = row.control if isinstance(row, SettingRow) else None
    return isinstance(control, QLineEdit) and control.isModified()
