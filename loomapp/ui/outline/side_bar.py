"""The side bar: trees, outline, bookmarks, tags and search, one below the other; each can be folded."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QSplitter, QToolButton, QVBoxLayout, QWidget

from loomapp.ui.look import theme
from loomapp.ui.outline.bookmarks import BookmarkList
from loomapp.ui.outline.view import OutlineView
from loomapp.ui.searching.panel import SearchPanel
from loomapp.ui.strings import tr
from loomapp.ui.tagging.tag_list import TagList
from loomapp.ui.trees.tree_list import TreeList
from loomapp.ui.widgets.form import label

HEAD_PX = 28
LOWEST_PX = 24  # of a list, in a low window
LOWEST_TREES_PX = 72
LEAST_PX = 168  # narrower, titles would be two letters and an ellipsis
HEIGHTS_PX = (180, 360, 120, 96, 40)  # trees, outline, bookmarks, tags, search that is folded
SEARCH_PX = 260  # for search once it is wanted


class Section(QWidget):
    """A title that folds what stands below it."""

    def __init__(self, name: str, title: str, content: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._content = content
        content.setMinimumHeight(LOWEST_PX)  # a list asks for more than a low window has
        self._head = QToolButton(self)
        self._head.setObjectName(f"{name}Head")
        self._head.setText(title)
        self._head.setAccessibleName(title)
        self._head.setCheckable(True)
        self._head.setChecked(True)
        self._head.setAutoRaise(True)
        self._head.setFont(theme.font("ui_strong"))
        self._head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        theme.set_look(self._head, head=True)
        self._head.toggled.connect(self.on_toggled)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 4)
        column.setSpacing(2)
        column.addWidget(self._head, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(content, 1)
        self.on_toggled(True)

    @property
    def is_open(self) -> bool:
        """False while only its head is shown."""
        return self._head.isChecked()

    def set_open(self, shown: bool) -> None:
        """Fold or unfold."""
        self._head.setChecked(shown)

    def on_toggled(self, shown: bool) -> None:
        """Fold or unfold."""
        self._head.setIcon(theme.icon("chevron-down" if shown else "chevron-right", "text.muted", 12))
        self._content.setVisible(shown)
        self.setMaximumHeight(16_777_215 if shown else HEAD_PX + 12)


class Emptiness(QWidget):
    """A list, or in its place a word about what will be there."""

    def __init__(self, listed: QWidget, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._listed = listed
        self._words: QLabel = label(words, "small", "muted", wrap=True)
        self._words.setContentsMargins(10, 2, 10, 2)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(listed, 1)
        column.addWidget(self._words, 1)
        self.set_empty(True)

    def set_empty(self, empty: bool) -> None:
        """Show the list or the word."""
        self._listed.setVisible(not empty)
        self._words.setVisible(empty)


class SideBar(QSplitter):
    """Lists. Their heights can be dragged; the search is folded until it is wanted."""

    def __init__(self, trees: TreeList, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setObjectName("sideBarParts")
        self.setChildrenCollapsible(False)
        self.setMinimumWidth(LEAST_PX)
        trees.setMinimumHeight(LOWEST_TREES_PX)
        self.outline = OutlineView(self)
        self.bookmarks = BookmarkList(self)
        self._of_bookmarks = Emptiness(self.bookmarks, tr("Ctrl+D marks what you want to find again."), self)
        self._of_outline = Emptiness(self.outline, tr("The outline appears here as you write."), self)
        self.tags = TagList(self)
        self._of_tags = Emptiness(self.tags, tr("Tags appear here."), self)
        self.search = SearchPanel(self)
        self._of_search = Section("search", tr("Search results"), self.search, self)
        self._of_search.set_open(False)
        parts = (
            trees,
            Section("outline", tr("Outline"), self._of_outline, self),
            Section("bookmarks", tr("Bookmarks"), self._of_bookmarks, self),
            Section("tags", tr("Tags"), self._of_tags, self),
            self._of_search,
        )
        for part in parts:
            part.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
            self.addWidget(part)
        self.setStretchFactor(0, 0)
        self.setStretchFactor(1, 1)
        self.setStretchFactor(2, 0)
        self.setStretchFactor(3, 0)
        self.setStretchFactor(4, 0)
        self.setSizes(list(HEIGHTS_PX))

    def bring_search(self) -> None:
        """Unfold the search, with room for what is found, and go to its field."""
        if not self._of_search.is_open:
            self._of_search.set_open(True)
            *others, _ = self.sizes()
            self.setSizes([*_after_giving(others, SEARCH_PX), SEARCH_PX])
        self.search.begin()

    def set_begun(self, begun: bool) -> None:
        """Whether the tree has anything to list."""
        self._of_outline.set_empty(not begun)

    def set_tagged(self, tagged: bool) -> None:
        """Whether there are tags."""
        self._of_tags.set_empty(not tagged)

    def set_marked(self, marked: bool) -> None:
        """Whether there are bookmarks."""
        self._of_bookmarks.set_empty(not marked)


def _after_giving(heights: list[int], wanted_px: int) -> list[int]:
    """Heights of parts that give room to another: each the same share of what it has."""
    share = max(0.0, 1 - wanted_px / max(1, sum(heights)))
    return [round(height * share) for height in heights]
