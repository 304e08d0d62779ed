"""The field of the composer: plain text, with keys that ask for answers, and none for an undo of its own."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QWidget

from loomapp.ui.keys.keys import is_one_of
from loomapp.ui.keys.text_keys import is_enter, is_undo
from loomapp.ui.look import theme
from loomapp.ui.media.offers import can_take
from loomapp.ui.widgets.fields import WrappingField, composes


class ComposerField(WrappingField):
    """Text field without an undo of its own: the window's one history gets the keys."""

    generate_pressed = Signal()
    offered = Signal(object)  # QMimeData, while it is: files or an image, pasted or dropped

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self.setAccessibleName(self.tr("Message to the model"))
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFont(theme.font("dialogue"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.enter_sends = False
        self.generate_keys: tuple[QKeySequence, ...] = ()  # those of the window's action

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window, but not while an input method composes. Of the keys of Generate
        the one that begins a line is kept.
        """
        is_key = event.type() == QEvent.Type.ShortcutOverride and not composes(self)
        if is_key and isinstance(event, QKeyEvent) and is_undo(event):
            event.ignore()
            return True
        if is_key and isinstance(event, QKeyEvent) and self._is_line(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask with a key of Generate; undo without a window action does nothing; the rest is typing."""
        if self._is_line(event):
            self.insertPlainText("\n")
        elif self._is_generate(event):
            self.generate_pressed.emit()
        elif is_undo(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Tell whether something pasted or dropped is taken: texts, files and images."""
        return can_take(source) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Write a text; offer files and images to the owner."""
        if can_take(source):
            self.offered.emit(source)
        else:
            super().insertFromMimeData(source)

    def _is_generate(self, event: QKeyEvent) -> bool:
        enters = self.enter_sends and is_enter(event, Qt.KeyboardModifier.NoModifier)
        return not composes(self) and (enters or is_one_of(event, self.generate_keys))

    def _is_line(self, event: QKeyEvent) -> bool:
        """Tell whether a key begins a line: Ctrl+Enter where Enter sends, unless another action has it."""
        is_own = is_one_of(event, self.generate_keys) or event.type() != QEvent.Type.ShortcutOverride
        return self.enter_sends and is_own and is_enter(event, Qt.KeyboardModifier.ControlModifier)
