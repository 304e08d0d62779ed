"""The side bar: trees, outline, bookmarks, tags and search, one below the other; each can be folded."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QSplitter, QWidget

from loomapp.ui.keys.keys import KeyOf
from loomapp.ui.side_bar.grove_search.panel import SearchPanel
from loomapp.ui.side_bar.outline.bookmarks import BookmarkList
from loomapp.ui.side_bar.outline.view import OutlineView
from loomapp.ui.side_bar.section import Section
from loomapp.ui.side_bar.tag_list import TagList
from loomapp.ui.strings import tr
from loomapp.ui.trees.tree_list import TreeList

LEAST_PX = 168  # narrower, titles would be two letters and an ellipsis
LOW_PX = 560  # of the bar; below, an empty section is its head alone
MOST_PX = (240, 200, 140)  # trees, bookmarks and tags ask for no more: the outline has the rest
OUTLINE_PX = 160  # what the outline keeps while others can give
SEARCH_PX = 260  # for search once it is wanted


class SideBar(QSplitter):
    """Lists, each as high as it needs; the outline has the rest. Once heights were dragged, they stay so.

    The search is folded until it is wanted.
    """

    def __init__(self, trees: TreeList, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setObjectName("sideBarParts")
        self.setChildrenCollapsible(False)
        self.setMinimumWidth(LEAST_PX)
        self._is_dragged = False
        self._trees = trees
        self.outline, self.bookmarks = OutlineView(self), BookmarkList(self)
        self.tags, self.search = TagList(self), SearchPanel(self)
        later = tr("The outline appears here as you write.")
        self._of_outline = Section("outline", tr("Outline"), self.outline, later, self)
        self._of_bookmarks = Section("bookmarks", tr("Bookmarks"), self.bookmarks, _how_to_mark(""), self)
        self._of_tags = Section("tags", tr("Tags"), self.tags, tr("Tags appear here."), self)
        self._of_search = Section("search", tr("Search results"), self.search, "", self)
        self._of_search.set_open(False)
        self._sections = (self._of_outline, self._of_bookmarks, self._of_tags, self._of_search)
        for part in (trees, *self._sections):
            part.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
            self.addWidget(part)
        for place in range(self.count()):
            self.setStretchFactor(place, int(place == 1))
        self.splitterMoved.connect(self.on_dragged)

    def bring_search(self) -> None:
        """Unfold the search, with room for what is found, and go to its field."""
        if not self._of_search.is_open:
            self._of_search.set_open(True)
            *others, _ = self.sizes()
            self.setSizes([*_after_giving(others, SEARCH_PX), SEARCH_PX])
        self.search.begin()

    def show_keys(self, key_of: KeyOf) -> None:
        self._trees.show_keys(key_of)
        self._of_bookmarks.set_empty_words(_how_to_mark(key_of("bookmark")))
        self._share_out()

    def set_begun(self, begun: bool) -> None:
        if self._of_outline.is_empty == begun:  # else nothing moves: it is said with every change
            self._of_outline.set_empty(not begun)
            self._share_out()

    def set_tagged(self, tagged: bool) -> None:
        self._of_tags.set_empty(not tagged)
        self._share_out()

    def set_marked(self, marked: bool) -> None:
        self._of_bookmarks.set_empty(not marked)
        self._share_out()

    def on_dragged(self) -> None:
        self._is_dragged = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let empty sections give their room in a low bar."""
        super().resizeEvent(event)
        for section in self._sections:
            section.set_spare(self.height() < LOW_PX)
        self._share_out()

    def event(self, event: QEvent) -> bool:
        """Share the heights out anew: a list became longer or shorter, or was folded."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._share_out()
        return done

    def _share_out(self) -> None:
        """Share the height out by what each list holds."""
        if self._is_dragged or self.height() < OUTLINE_PX:
            return
        wishes = (
            self._trees.natural_px(),
            self._of_bookmarks.height_for(self.bookmarks.natural_px()),
            self._of_tags.height_for(self.tags.natural_px()),
        )
        trees, bookmarks, tags = map(min, wishes, MOST_PX)
        search = self._of_search.height_for(SEARCH_PX)
        room = self.height() - self.handleWidth() * (self.count() - 1) - search
        least = self._of_outline.height_for(0) if self._of_outline.is_head_alone else OUTLINE_PX
        lacking = max(0, trees + bookmarks + tags + least - room)
        trees, bookmarks, tags = _after_giving([trees, bookmarks, tags], lacking)
        heights = [trees, max(0, room - trees - bookmarks - tags), bookmarks, tags, search]
        if heights != self.sizes():
            self.setSizes(heights)


def _how_to_mark(key: str) -> str:
    if not key:
        return tr("A bookmark marks what you want to find again.")
    return tr("{key} marks what you want to find again.").format(key=key)


def _after_giving(heights: Sequence[int], wanted_px: int) -> list[int]:
    """Heights of parts that give room to another: each the same share of what it has."""
    share = max(0.0, 1 - wanted_px / max(1, sum(heights)))
    return [round(height * share) for height in heights]
