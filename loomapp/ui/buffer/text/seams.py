"""Seams: where a long paragraph is split in the view, moved to where its lines break, so that none shows."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QFontMetricsF, QTextBlock

from loomapp.ui.buffer.text.exact_text import ExactText
from loomapp.ui.buffer.text.view_text import direction

AFTER_MS = 120  # once nothing moves any more


class Seams(QObject):
    """Looks at the seams in view when writing and scrolling rest, and mends the first that shows."""

    def __init__(self, editor: ExactText) -> None:
        super().__init__(editor)
        self._editor = editor
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(AFTER_MS)
        self._soon.timeout.connect(self.on_rest)

    def look_soon(self) -> None:
        if self._editor.has_seams:
            self._soon.start()

    def on_rest(self) -> None:
        """Move the first seam in view that ends a line too early to where that line begins."""
        editor = self._editor
        block = editor.firstVisibleBlock()
        top = editor.blockBoundingGeometry(block).translated(editor.contentOffset()).top()
        while block.isValid() and top <= editor.viewport().height():
            height = editor.blockBoundingRect(block).height()
            if self._shows(block):
                last = block.layout().lineAt(block.layout().lineCount() - 1)
                editor.move_seam(block.position() + block.length() - 1, block.position() + last.textStart())
                self._soon.start()
                return
            top += height
            block = block.next()

    def _shows(self, block: QTextBlock) -> bool:
        """Return True if the first word after a seam would have had room before it."""
        layout, editor = block.layout(), self._editor
        if layout.lineCount() < 2 or not editor.is_seam(block.position() + block.length() - 1):
            return False
        moved_to, text = layout.lineAt(layout.lineCount() - 1).textStart(), block.text()
        if not text.isascii() and direction(text, moved_to) not in (direction(text, 0), None):
            return False  # what follows would stand on the other side
        word = block.next().text()[:64].split(" ", 1)[0]
        width = QFontMetricsF(editor.font()).horizontalAdvance(word)
        used = layout.lineAt(layout.lineCount() - 1).horizontalAdvance()
        return used + width <= editor.prose.width_px
