"""Keyboard focus in a widget's window, where it came from and its return; rest after a key; Ctrl+wheel."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget
from shiboken6 import isValid

_KEY = Qt.KeyboardModifier
MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_AltGr, Qt.Key.Key_CapsLock, Qt.Key.Key_Control)
ENTERS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
HELD = _KEY.ControlModifier | _KEY.AltModifier | _KEY.MetaModifier


def focused_beside(widget: QWidget) -> QWidget | None:
    """Return what has the keyboard in the window of a widget, or gets it back when that window is active
    again; None if nothing has it.
    """
    return widget.window().focusWidget()


def is_letter(event: QKeyEvent) -> bool:
    """Tell whether a key writes a letter or a sign: no space, and nothing with Ctrl or Alt."""
    text = event.text()
    return text.isprintable() and bool(text.strip()) and not event.modifiers() & HELD


def is_word_key(event: QKeyEvent) -> bool:
    """Tell whether a key writes part of a text: a letter, a sign or a space."""
    is_space = event.key() == Qt.Key.Key_Space and not event.modifiers() & HELD
    return is_space or is_letter(event)


def is_to_an_end(event: QKeyEvent) -> bool:
    """Tell whether a key goes to the beginning or the end of a text: Ctrl+Home and Ctrl+End."""
    is_end = event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End)
    return is_end and event.modifiers() & ~_KEY.KeypadModifier == _KEY.ControlModifier


def is_sending(event: QKeyEvent) -> bool:
    """Tell whether a key is Ctrl+Enter, of either Enter."""
    return event.key() in ENTERS and event.modifiers() & ~_KEY.KeypadModifier == _KEY.ControlModifier


def is_bare_enter(event: QKeyEvent) -> bool:
    """Tell whether a key is Enter of either kind, with nothing held."""
    return event.key() in ENTERS and event.modifiers() & ~_KEY.KeypadModifier == _KEY.NoModifier


def is_for_writing(event: QKeyEvent, *, is_ringed: bool) -> bool:
    """Tell whether a list leaves a key to where one writes: letters, spaces, Shift before a capital, and the
    way to an end of the text, for who has clicked there. For who came by keys, and sees a ring around the
    row, letters search.
    """
    is_written = is_word_key(event) or is_to_an_end(event) or event.key() in MODIFIERS
    return not is_ringed and is_written


REST_S = 0.7  # as long as the button of Generate rests after a click


class RestAfterKey:
    """The moment after a key that spends money: the same key in it is held down, or pressed once too often by
    somebody who saw nothing come yet. Another key ends it.
    """

    def __init__(self) -> None:
        self._last_s: float | None = None

    def counts(self, event: QKeyEvent) -> bool:
        """Note a press; True if it is meant."""
        before, self._last_s = self._last_s, time.monotonic()
        rests = before is not None and self._last_s - before < REST_S
        return not rests and not event.isAutoRepeat()

    def hear(self, event: QKeyEvent) -> None:
        """Note another key: who writes meanwhile asks anew."""
        if event.key() not in MODIFIERS:
            self.end()

    def end(self) -> None:
        """Let the next press count: the last one asked nothing."""
        self._last_s = None


class KeyboardReturn:
    """The place that had the keyboard before a part of the window took it, until the part is left."""

    def __init__(self) -> None:
        self._place: QWidget | None = None

    def note(self, part: QWidget) -> None:
        """Keep what has the keyboard now, unless it is in the part itself, which was come to before."""
        focused = QApplication.focusWidget()
        if focused is not None and focused is not part and not part.isAncestorOf(focused):
            self._place = focused

    def give_back(self) -> bool:
        """Give the keyboard back, and forget the place. False where that is gone or hidden."""
        place, self._place = self._place, None
        if place is None or not isValid(place) or not place.isVisible():
            return False
        place.setFocus(Qt.FocusReason.OtherFocusReason)
        return True


class FocusOrigin(QObject):
    """The place from which the keyboard came to a part of the window last."""

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        self._part = part
        self._place: QWidget | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self.on_focus_changed)

    def on_focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        is_within = before is not None and self._part.isAncestorOf(before)
        if now is not None and self._part.isAncestorOf(now) and not is_within:
            self._place = before

    @property
    def place(self) -> QWidget | None:
        return self._place if self._place is not None and isValid(self._place) else None

    def is_in(self, other: QWidget) -> bool:
        """Tell whether that place is in another part."""
        place = self.place
        return place is not None and other.isAncestorOf(place)


class WordKeys(QObject):
    """Filter that leaves keys of words to the window, except in a cell that is written in."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent) or not is_word_key(event):
            return False
        if self._view.currentIndex().flags() & Qt.ItemFlag.ItemIsEditable:
            return False
        event.ignore()
        return True


NOTCH = 120  # of QWheelEvent.angleDelta


class TextSteps:
    """Counts notches of a wheel with Ctrl. A touchpad, and some wheels, tell them in parts."""

    def __init__(self) -> None:
        self._part = 0

    def count(self, event: QWheelEvent) -> int | None:
        """Return the px by which a text is to grow, negative to shrink, 0 for less than a notch so far; None
        for a wheel that only scrolls.
        """
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._part = 0
            return None
        turned = self._part + event.angleDelta().y()
        steps = int(turned / NOTCH)
        self._part = turned - steps * NOTCH
        return steps
