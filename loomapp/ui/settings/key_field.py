"""A button that takes the next key that is pressed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QPushButton, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr

HELD_ALONE = (
    Qt.Key.Key_Control,
    Qt.Key.Key_Shift,
    Qt.Key.Key_Alt,
    Qt.Key.Key_Meta,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_Super_L,
    Qt.Key.Key_Super_R,
)


class KeyField(QPushButton):
    """Button for a key: pressed, it waits for one; Esc or a change of focus ends that."""

    key_pressed = Signal(str)  # a key, as settings spell it

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = name
        self._is_waiting = False
        self.setIcon(theme.icon("plus", "text.secondary", 12))
        self.setFont(theme.font("small"))
        theme.set_look(self, kind="quiet")
        self.clicked.connect(lambda: self._wait(True))
        self._wait(False)

    @property
    def is_waiting(self) -> bool:
        return self._is_waiting

    def event(self, event: QEvent) -> bool:
        """Take every key while waiting, also those of actions and of the focus."""
        if self._is_waiting and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._take(event)
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._wait(False)
        super().focusOutEvent(event)

    def _take(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in HELD_ALONE:
            return
        self._wait(False)
        if key != Qt.Key.Key_Escape:
            pressed = QKeySequence(event.keyCombination())
            self.key_pressed.emit(pressed.toString(QKeySequence.SequenceFormat.PortableText))

    def _wait(self, waiting: bool) -> None:
        self._is_waiting = waiting
        self.setText(tr("Press a key…") if waiting else tr("Key"))
        what = tr("{name}: press a key, Esc to leave it") if waiting else tr("{name}: add a key")
        self.setAccessibleName(what.format(name=self._name))
