"""Folding the inspector to its tabs: by hand, beside a buffer, and by itself while the window is low."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget

from loomapp.ui.inspector.pane import TABS_PX
from loomapp.ui.keys import ICON_PX, Actions, action_button
from loomapp.ui.look import theme
from loomapp.ui.window.responsive import INSPECTOR_PX, Halves
from loomapp.ui.workbench import Views

if TYPE_CHECKING:
    from loomapp.ui.first_page.page import FirstPage

LOW_PX = 720  # of the window; below, the graph needs the height
NO_LIMIT_PX = 16_777_215  # Qt's own


class InspectorFold(QObject):
    """Knows how a person wants it beside a dialogue and beside a buffer, and whether the window is low."""

    def __init__(self, views: Views, actions: Actions, halves: Halves) -> None:
        super().__init__(views.window)
        self._views, self._actions, self._halves = views, actions, halves
        self._pane, self._dock = views.inspector, views.inspector_dock
        self._is_prose = self._by_height = self._is_low = False
        self._wanted_folded = {False: False, True: True}  # beside a dialogue, beside a buffer
        self._by_page = self._is_over_page = False  # gave way to the page of an empty tree; wanted beside it
        self._height_px = INSPECTOR_PX
        self._laid_out = QTimer(self, singleShot=True, interval=0)  # when all of it has its place
        self._laid_out.timeout.connect(self.on_text_laid_out)
        self._button = action_button(actions, "foldInspector", "", self._pane)
        self._pane.add_to_tabs(self._button)
        self._pane.tab_clicked.connect(self.unfold)
        self._pane.installEventFilter(self)
        views.text_pane.installEventFilter(self)
        self._page_laid_out = QTimer(self, singleShot=True, interval=0)
        self._page_laid_out.timeout.connect(self.on_page_laid_out)
        halves.text_came.connect(self.on_text_came)
        self._paint_icon()

    @property
    def is_folded(self) -> bool:
        return self._wanted_folded[self._is_prose] or self._by_height or self._by_page

    def is_wanted_folded(self, *, is_prose: bool) -> bool:
        """Return True if it is to be folded beside a dialogue, or a buffer, however high the window is."""
        return self._wanted_folded[is_prose]

    def want(self, *, beside_dialogue: bool, beside_buffer: bool) -> None:
        """Fold or unfold it as a person wants it: True is folded."""
        was_folded = self.is_folded
        self._wanted_folded = {False: beside_dialogue, True: beside_buffer}
        self._show(was_folded)

    @property
    def height_px(self) -> int:
        """Height in px while unfolded, else 0."""
        return 0 if self.is_folded or not self._dock.isVisible() else self._dock.height()

    def stand(self, height_px: int) -> None:
        """Restore the height, in px, if it is unfolded; 0: not known."""
        if height_px and self.height_px:
            self._views.window.resizeDocks([self._dock], [height_px], Qt.Orientation.Vertical)

    def show_kind(self, *, is_prose: bool) -> None:
        """A tree of this kind is read from now on: a buffer is written without the inspector at first."""
        was_folded = self.is_folded
        self._is_prose = is_prose
        self._show(was_folded)

    def toggle(self) -> None:
        self.unfold() if self.is_folded else self.fold()

    def fold(self) -> None:
        """Show the tabs alone, until they are wanted."""
        self._put(wanted=True, by_height=self._by_height)

    def unfold(self) -> None:
        """Show its pages; where there is no room for them below the text, below the graph."""
        has_room = not self._is_low and self._fits_below_text()
        self._is_over_page = not self._views.first_page.isHidden()
        self._put(wanted=False, by_height=False)
        if not has_room:
            self._halves.bring_graph()

    def on_text_came(self) -> None:
        """The text came in the graph's place: in a low window it needs all of the height."""
        if self._is_low:
            self._put(wanted=self._wanted_folded[self._is_prose], by_height=True)

    def on_text_laid_out(self) -> None:
        """The text, in the graph's place, got another height or needs one: the inspector gives way, and comes
        back with the room.
        """
        text = self._views.text_pane
        if self._is_low or not self._halves.is_folded or not text.isVisible():
            return
        is_squeezed = text.height() < text.least_px and not self.is_folded
        if is_squeezed or (self._by_height and self._fits_below_text()):
            self._put(wanted=self._wanted_folded[self._is_prose], by_height=is_squeezed)

    def follow(self, page: FirstPage) -> None:
        """Give way to the page of an empty tree where its ways in would be out of sight."""
        page.installEventFilter(self)

    def on_tree_opened(self) -> None:
        """Give way to the first page of an opened tree, even if the pane was wanted over that of another."""
        self._is_over_page = False
        self._page_laid_out.start()

    def on_page_laid_out(self) -> None:
        """The page of an empty tree came, went, or got another height: the inspector gives way if it must,
        and is back with the room or the first message.
        """
        page, was_folded = self._views.first_page, self.is_folded
        if page.isHidden():
            self._is_over_page = False
        given_px = max(0, self._height_px - TABS_PX) if self._by_page else 0
        is_low = page.isVisible() and page.height() - given_px < page.least_px
        self._by_page = is_low and not self._is_over_page and (self._by_page or not was_folded)
        self._show(was_folded)

    def fit(self, height_px: int) -> None:
        """The window got another size: fold when it becomes low, unfold when it is no longer."""
        is_low = height_px < LOW_PX
        is_beside = self._by_height and not self._halves.is_folded
        if is_low != self._is_low or is_beside:
            self._is_low = is_low
            self._put(wanted=self._wanted_folded[self._is_prose], by_height=is_low)

    def _fits_below_text(self) -> bool:
        """Return True if text and inspector have room, one below the other."""
        text = self._views.text_pane
        below_px = max(INSPECTOR_PX, self._pane.least_px)
        return text.height() + self._pane.height() - below_px >= text.least_px

    def _put(self, *, wanted: bool, by_height: bool) -> None:
        was_folded = self.is_folded
        self._by_page = self._by_page and not self._is_over_page
        self._wanted_folded[self._is_prose], self._by_height = wanted, by_height
        self._show(was_folded)

    def _show(self, was_folded: bool) -> None:
        if self.is_folded == was_folded:
            return
        if self.is_folded and self._dock.isVisible():
            self._height_px = max(INSPECTOR_PX, self._dock.height())
        self._pane.set_folded(self.is_folded)
        self._pane.setMaximumHeight(TABS_PX if self.is_folded else NO_LIMIT_PX)
        if not self.is_folded:
            self._views.window.resizeDocks([self._dock], [self._height_px], Qt.Orientation.Vertical)
        self._paint_icon()
        self._actions.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the theme with the icon, and the text's need for room."""
        if watched is self._views.text_pane:
            if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize, QEvent.Type.Show):
                self._laid_out.start()
        elif watched is not self._pane:
            if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide):
                self._page_laid_out.start()
        elif event.type() == QEvent.Type.PaletteChange and isinstance(watched, QWidget):
            self._paint_icon()
        return False

    def _paint_icon(self) -> None:
        name = "chevron-up" if self.is_folded else "chevron-down"
        self._button.setIcon(theme.icon(name, role="text.secondary", size=ICON_PX))
