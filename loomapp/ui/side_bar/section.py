"""A section of the side bar: a title that folds what stands below it, and little more while that is empty."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from loomapp.ui.widgets.buttons import SectionHead
from loomapp.ui.widgets.labels import label

LOWEST_PX = 24  # of a list, in a low window
MARGINS = (8, 6, 8, 4)
GAP_PX = 2
WORDS_PX = 10  # beside the words of an empty list
NO_LIMIT_PX = 16_777_215  # Qt's own


class Section(QWidget):
    """A head, and a content or, while that is empty, a word about what will be there.

    Where there is little room an empty section is its head alone; a click on that shows the word after all.
    """

    def __init__(self, name: str, title: str, content: QWidget, empty_words: str, parent: QWidget) -> None:
        """`empty_words`: none, if the content speaks for itself."""
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
        column.addWidget(self.head, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._below, 1)
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
        return self.head.sizeHint().height() + MARGINS[1] + MARGINS[3]

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
