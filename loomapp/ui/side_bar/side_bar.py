"""Side bar: trees, outline with its tools, documents, bookmarks, tags, search, each under a head."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from loomapp.ui.keys import KeyOf, with_key
from loomapp.ui.look import theme
from loomapp.ui.side_bar.grove_search import SearchPanel
from loomapp.ui.side_bar.outline.marks import BookmarkList, TagList
from loomapp.ui.side_bar.outline.view import OutlineView
from loomapp.ui.strings import tr
from loomapp.ui.trees.documents.document_list import DocumentList
from loomapp.ui.trees.tree_list import TreeList
from loomapp.ui.widgets.buttons import SectionHead, icon_button
from loomapp.ui.widgets.labels import label, set_tip
from loomapp.ui.widgets.layouts import horizontal
from loomapp.ui.widgets.page import Menu

SIGN_PX = 14


class OutlineTools(QWidget):
    """Three small buttons at the right of the outline's head."""

    def __init__(self, outline: OutlineView, parent: QWidget) -> None:
        super().__init__(parent)
        self._outline = outline
        self._icons: dict[QToolButton, str] = {}
        here = self._add("outlineHere", "locate-fixed", tr("Back to the current row"))
        here.clicked.connect(outline.go_to_current)
        self._filter = self._add("outlineFilter", "list-filter", tr("List all, or only some"))
        self._filter.setMenu(self._filter_menu())
        more = self._add("outlineMore", "ellipsis", tr("Fold and unfold"))
        menu = Menu(more)
        menu.addAction(tr("Unfold all"), outline.unfold_all)
        menu.addAction(tr("Fold all"), outline.fold_all)
        more.setMenu(menu)
        for button in (self._filter, more):
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for button in self._icons:
            row.addWidget(button)
        self._show_icons()

    def _add(self, name: str, icon: str, words: str) -> QToolButton:
        button = icon_button(name, theme.icon(icon, "text.muted", SIGN_PX), words, self)
        button.setAutoRaise(True)
        self._icons[button] = icon
        return button

    def _filter_menu(self) -> QMenu:
        menu = Menu(self._filter)
        group = QActionGroup(menu)
        for wanted, words in (
            ("all", tr("All messages")),
            ("branches", tr("With branches")),
            ("bookmarked", tr("Bookmarked")),
            ("mine", tr("Mine")),
        ):
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(wanted == "all")
            action.setData(wanted)
            group.addAction(action)
        group.triggered.connect(lambda action: self.on_wanted(str(action.data())))
        return menu

    def on_wanted(self, wanted: str) -> None:
        """List only some rows; the sign is coloured while that is so."""
        self._outline.list_only(wanted)
        self._show_icons()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_filter"):
            self._show_icons()

    def _show_icons(self) -> None:
        for button, icon in self._icons.items():
            is_filtered = button is self._filter and self._outline.rows.listed != "all"
            button.setIcon(theme.icon(icon, "accent.base" if is_filtered else "text.muted", SIGN_PX))


LOWEST_PX = 24  # of a list, in a low window
MARGINS = (8, 5, 8, 3)
GAP_PX = 2
BUTTON_MARGIN_PX = 3
WORDS_PX = 10  # beside the words of an empty list
NO_LIMIT_PX = 16_777_215  # Qt's own
LEAST_PX = 168  # narrower, titles would be two letters and an ellipsis
LOW_PX = 680  # of the bar; below, an empty section is its head alone
MOST_PX = (240, 160, 200, 140)  # trees, documents, bookmarks and tags ask for no more
OUTLINE_PX = 160  # what the outline keeps while others can give
SEARCH_PX = 260  # for search once it is wanted, at most a third of the bar


class Section(QWidget):
    """A head, and a content or, while that is empty, a word about what will be there.

    Where there is little room an empty section is its head alone; a click on that shows the word after all.
    """

    def __init__(
        self,
        name: str,
        title: str,
        content: QWidget,
        empty_words: str,
        parent: QWidget,
        button: QWidget | None = None,
    ) -> None:
        """`empty_words`: none, if the content speaks for itself. A `button` stands at the end of its head."""
        super().__init__(parent)
        self._content = content
        self._words: QLabel = label(empty_words, "small", "muted", wrap=True)
        self._words.setContentsMargins(WORDS_PX, 2, WORDS_PX, 2)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._is_empty, self._is_spare = bool(empty_words), False
        self._below = QWidget(self)
        self._below.setMinimumHeight(LOWEST_PX)  # a list asks for more than a low window has
        either = QVBoxLayout(self._below)
        either.setContentsMargins(0, 0, 0, 0)
        for part in (content, self._words):
            either.addWidget(part)
        self.head = SectionHead(name, title, self)
        self.head.toggled.connect(self.on_toggled)
        self.head.clicked.connect(self.on_clicked)
        column = QVBoxLayout(self)
        column.setContentsMargins(*MARGINS)
        column.setSpacing(GAP_PX)
        row = horizontal(None, (0, 0, BUTTON_MARGIN_PX, 0))
        row.addWidget(self.head)
        row.addStretch(1)
        if button is not None:
            row.addWidget(button)
        column.addLayout(row)
        column.addWidget(self._below, 1)
        self._button = button
        self._show()

    @property
    def is_open(self) -> bool:
        """False while only its head is shown, because a person wants no more of it."""
        return self.head.isChecked()

    @property
    def is_empty(self) -> bool:
        """True while a word stands for what is not there."""
        return self._is_empty

    @property
    def is_head_alone(self) -> bool:
        """True while nothing is shown below its head."""
        return not self.is_open or (self._is_empty and self._is_spare)

    @property
    def head_px(self) -> int:
        """Height of the head alone, in px."""
        button = 0 if self._button is None else self._button.sizeHint().height()
        return max(self.head.sizeHint().height(), button) + MARGINS[1] + MARGINS[3]

    def height_for(self, content_px: int) -> int:
        """Return the height that suits a content of this height, in px."""
        if self.is_head_alone:
            return self.head_px
        room = max(1, self.width() - MARGINS[0] - MARGINS[2])
        below = self._words.heightForWidth(room) if self._is_empty else content_px
        return self.head_px + GAP_PX + max(LOWEST_PX, below)

    def set_open(self, shown: bool) -> None:
        self.head.setChecked(shown)

    def set_empty(self, empty: bool) -> None:
        """Show the content, or the words about its absence."""
        if empty != self._is_empty:
            self._is_empty = empty
            self._show()

    def set_empty_words(self, words: str) -> None:
        self._words.setText(words)

    def set_spare(self, spare: bool) -> None:
        """Hide the words of an empty section if there is too little room for them."""
        if spare != self._is_spare:
            self._is_spare = spare
            self._show()

    def on_toggled(self, _: bool) -> None:
        self._show()

    def on_clicked(self) -> None:
        """A head that stands alone for want of room was clicked: what it hides is wanted."""
        if self._is_empty and self._is_spare:
            self._is_spare = False
            self.head.setChecked(True)
            self._show()

    def _show(self) -> None:
        alone = self.is_head_alone
        self._content.setVisible(not self._is_empty)
        self._words.setVisible(self._is_empty)
        self._below.setVisible(not alone)
        self.head.show_fold(folded=alone)
        self.setMaximumHeight(self.head_px if alone else NO_LIMIT_PX)
        self.updateGeometry()


class SideBar(QSplitter):
    """Lists, each as high as it needs; the outline has the rest. Once heights were dragged, they stay so.

    The search is folded until it is wanted.
    """

    new_document_asked = Signal()

    def __init__(self, trees: TreeList, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setObjectName("sideBarParts")
        self.setChildrenCollapsible(False)
        self.setMinimumWidth(LEAST_PX)
        self._is_dragged = False
        self._trees = trees
        self.outline, self.bookmarks = OutlineView(self), BookmarkList(self)
        self.tags, self.search, self.documents = TagList(self), SearchPanel(self), DocumentList(self)
        self._new = icon_button("newDocumentButton", theme.icon("plus"), tr("New document"), self)
        self._new.clicked.connect(self.new_document_asked)
        later = tr("The outline appears here as you write.")
        tools = OutlineTools(self.outline, self)
        self._of_outline = Section("outline", tr("Outline"), self.outline, later, self, tools)
        beside = tr("Notes kept beside the tree, for you and for agents that may read them. + begins one.")
        self._of_documents = Section("documents", tr("Documents"), self.documents, beside, self, self._new)
        self._of_bookmarks = Section("bookmarks", tr("Bookmarks"), self.bookmarks, _how_to_mark(""), self)
        self._of_tags = Section("tags", tr("Tags"), self.tags, tr("Tags appear here."), self)
        self._of_search = Section("search", tr("Search results"), self.search, "", self)
        self._of_search.set_open(False)
        self._of_search.head.toggled.connect(lambda _: self._spare_room())
        self._sections = (
            self._of_outline,
            self._of_documents,
            self._of_bookmarks,
            self._of_tags,
            self._of_search,
        )
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
            self.setSizes([*_after_giving(others, self._search_px()), self._search_px()])
        self.search.begin()

    def show_keys(self, key_of: KeyOf) -> None:
        self._trees.show_keys(key_of)
        set_tip(self._new, with_key(tr("New document"), key_of("newDocument")))
        self._of_bookmarks.set_empty_words(_how_to_mark(key_of("bookmark")))
        self._share_out()

    def set_begun(self, begun: bool) -> None:
        if self._of_outline.is_empty == begun:  # else nothing moves: it is said with every change
            self._of_outline.set_empty(not begun)
            self._share_out()

    def set_tagged(self, tagged: bool) -> None:
        self._of_tags.set_empty(not tagged)
        self._share_out()

    def set_documented(self, documented: bool) -> None:
        self._of_documents.set_empty(not documented)
        self._share_out()

    def bring_documents(self) -> None:
        """Unfold the documents, and go to their list; to its button while there are none."""
        self._of_documents.set_open(True)
        (self._new if self._of_documents.is_empty else self.documents).setFocus(Qt.FocusReason.TabFocusReason)

    def set_can_change(self, can_change: bool) -> None:
        """Allow new documents; in a grove that is only read there are none."""
        self._new.setEnabled(can_change)

    def set_marked(self, marked: bool) -> None:
        self._of_bookmarks.set_empty(not marked)
        self._share_out()

    def on_dragged(self) -> None:
        self._is_dragged = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let empty sections give their room in a low bar."""
        super().resizeEvent(event)
        self._spare_room()
        self._share_out()

    def _search_px(self) -> int:
        return min(SEARCH_PX, self.height() // 3)

    def _spare_room(self) -> None:
        """Show empty sections as heads alone where there is little room beside the search."""
        wanted_px = self._of_search.height_for(self._search_px()) - self._of_search.head_px
        is_low = self.height() - wanted_px < LOW_PX
        for section in self._sections:
            section.set_spare(is_low)

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
            self._of_documents.height_for(self.documents.natural_px()),
            self._of_bookmarks.height_for(self.bookmarks.natural_px()),
            self._of_tags.height_for(self.tags.natural_px()),
        )
        asked = list(map(min, wishes, MOST_PX))
        search = self._of_search.height_for(self._search_px())
        room = self.height() - self.handleWidth() * (self.count() - 1) - search
        least = self._of_outline.height_for(0) if self._of_outline.is_head_alone else OUTLINE_PX
        trees, *others = _after_giving(asked, max(0, sum(asked) + least - room))
        heights = [trees, max(0, room - trees - sum(others)), *others, search]
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
