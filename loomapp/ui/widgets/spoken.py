"""Spoken roles of painted parts, for those who hear the window: a role each, and the words of drawn ones.

Qt takes a plain widget for a filler, whatever it is called, and readers pass over fillers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple, Protocol, runtime_checkable

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QAccessibleInterface
from PySide6.QtWidgets import QAbstractItemView, QAccessibleWidget, QLineEdit, QToolButton, QWidget
from shiboken6 import isValid

from loomapp.ui.strings import tr

ROLE, IN_ORDER = "spokenRole", "spokenInOrder"
MOST_CHARACTERS = 20_000  # of the words of one part; what is longer is read in an editor, or copied


@runtime_checkable
class Worded(Protocol):
    """Widget that shows words of its own."""

    def spoken_words(self) -> str:
        """Return the words that it says, in place of its accessible name."""


class DrawnPart(NamedTuple):
    """Part that a widget draws: its words, where it is on the screen, and whether it is selected."""

    words: str
    place: QRect
    is_selected: bool


@runtime_checkable
class DrawsParts(Protocol):
    """Widget that draws parts of its own, which go by keys."""

    def drawn_keys(self) -> Sequence[str]:
        """Return the parts that are in view and the current one, in the order in which they are read."""

    def drawn_part(self, key: str) -> DrawnPart | None:
        """Return what there is to say of a part; None if it is not drawn any more."""

    def current_key(self) -> str:
        """Return the part that the keyboard acts on; empty if there is none."""


def speak_as(part: QWidget, role: QAccessible.Role) -> None:
    _answer_readers()
    part.setProperty(ROLE, role.value)
    _forget_what_was_told(part)


def announce(part: QWidget, words: str) -> None:
    """Have words said that have come up beside a part, once the reader has come to its end."""
    if words:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(part, words))


def name_clear_button(field: QLineEdit) -> None:
    """Name the button in a field that empties it; Qt gives it none."""
    for button in field.findChildren(QToolButton):
        button.setAccessibleName(tr("Clear"))


def speak_in_order(part: QWidget, role: QAccessible.Role) -> None:
    """Give a part a role, as `speak_as` does; its own parts are read as they stand, from the top, whenever
    they were made.
    """
    part.setProperty(IN_ORDER, True)
    speak_as(part, role)


class _Part(QAccessibleWidget):
    """Accessible part of the window; Qt lets go of it with the part."""

    def text(self, kind: QAccessible.Text) -> str:
        """Return its words in place of its name, if it has any."""
        part = self.object()
        if kind is QAccessible.Text.Name and isinstance(part, Worded):
            return part.spoken_words()[:MOST_CHARACTERS]
        return super().text(kind)


class _Ordered(_Part):
    """Part whose parts are read from the top, without those that are not shown."""

    def childCount(self) -> int:
        return len(self._parts())

    def child(self, index: int) -> QAccessibleInterface:
        """Return the part at a place, counted from the top."""
        found = self._parts()
        return found[index] if 0 <= index < len(found) else super().child(-1)  # none

    def indexOfChild(self, part: QAccessibleInterface) -> int:
        """Return the place of a part, -1 if it is none of them."""
        objects = [one.object() for one in self._parts()]
        return objects.index(part.object()) if part.object() in objects else -1

    def _parts(self) -> list[QAccessibleInterface]:
        found = [super(_Ordered, self).child(index) for index in range(super().childCount())]
        shown = [one for one in found if _is_shown(one)]
        return sorted(shown, key=lambda one: one.rect().top())


MOST_KEPT = 400  # drawn parts for which an interface is kept


class _Drawing(_Part):
    """Part whose own parts are drawn: interfaces are made of those that a reader asks for."""

    def __init__(self, part: QWidget, role: QAccessible.Role) -> None:
        super().__init__(part, role)
        self._drawn: dict[str, _Drawn] = {}  # what destroys the widget takes them back from Qt
        part.destroyed.connect(partial(_drop, self._drawn, ()))

    def childCount(self) -> int:
        return super().childCount() + len(self._keys())

    def child(self, index: int) -> QAccessibleInterface:
        """Return a widget within it, or behind those the drawn part at a place."""
        widgets, keys = super().childCount(), self._keys()
        if not widgets <= index < widgets + len(keys):
            return super().child(index)
        return self.drawn(keys[index - widgets])

    def indexOfChild(self, part: QAccessibleInterface) -> int:
        """Return the place of a part, -1 if it is none of them."""
        keys = self._keys()
        if isinstance(part, _Drawn):
            return super().childCount() + keys.index(part.key) if part.key in keys else -1
        return super().indexOfChild(part)

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        """Return what is at a point of the screen."""
        widget = self.object()
        if isinstance(widget, DrawsParts):
            for key in widget.drawn_keys():
                part = widget.drawn_part(key)
                if part is not None and part.place.contains(x, y):
                    return self.drawn(key)
        return super().childAt(x, y)

    def focusChild(self) -> QAccessibleInterface:
        """Return the part that the keyboard acts on."""
        widget = self.object()
        key = widget.current_key() if isinstance(widget, DrawsParts) else ""
        if key and isinstance(widget, QWidget) and widget.hasFocus():
            return self.drawn(key)
        return super().focusChild()

    def drawn(self, key: str) -> QAccessibleInterface:
        """Return the interface of a drawn part; it stays the same while it is in view."""
        if key not in self._drawn:
            if len(self._drawn) >= MOST_KEPT:
                _drop(self._drawn, self._keys())
            widget = self.object()
            assert isinstance(widget, QWidget), "a widget draws"
            self._drawn[key] = _Drawn(widget, key)
        return self._drawn[key]

    def _keys(self) -> Sequence[str]:
        widget = self.object()
        return widget.drawn_keys() if isinstance(widget, DrawsParts) else ()


class _Drawn(QAccessibleInterface):
    """Accessible part that no widget stands for."""

    def __init__(self, widget: QWidget, key: str) -> None:
        super().__init__()
        self._widget, self.key = widget, key

    def isValid(self) -> bool:
        return isValid(self._widget) and self._part() is not None

    def object(self) -> QObject | None:  # type: ignore[override]  # Qt allows none
        return None

    def parent(self) -> QAccessibleInterface:
        return QAccessible.queryAccessibleInterface(self._widget)

    def child(self, _index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # as above
        return None

    def childAt(self, _x: int, _y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # as above
        return None

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, _part: QAccessibleInterface) -> int:
        return -1

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def text(self, kind: QAccessible.Text) -> str:
        """Return its words as its name."""
        part = self._part()
        return part.words[:MOST_CHARACTERS] if part is not None and kind is QAccessible.Text.Name else ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Change nothing: it is only read."""

    def rect(self) -> QRect:
        part = self._part()
        return QRect() if part is None else part.place

    def state(self) -> QAccessible.State:
        """Return whether it is selected, and has the keyboard."""
        state, part = QAccessible.State(), self._part()
        state.focusable = state.selectable = True
        state.selected = part is not None and part.is_selected
        state.focused = self._widget.hasFocus() and self._draws().current_key() == self.key
        return state

    def _draws(self) -> DrawsParts:
        assert isinstance(self._widget, DrawsParts), "its parts are drawn"
        return self._widget

    def _part(self) -> DrawnPart | None:
        return self._draws().drawn_part(self.key)


def _drop(drawn: dict[str, _Drawn], kept: Sequence[str], *_: object) -> None:
    """Take interfaces back from Qt, which else would go on with what is not there."""
    for key in drawn.keys() - set(kept):
        QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(drawn[key]))
        del drawn[key]


def tell_row(view: QAbstractItemView) -> None:
    """Tell readers which row of a list the keyboard has come to: Qt tells of rows only where it goes from one
    to another.
    """
    if QAccessible.isActive() and view.hasFocus() and view.currentIndex().isValid():
        row = QAccessible.queryAccessibleInterface(view).focusChild()
        if row is not None:
            QAccessible.updateAccessibility(QAccessibleEvent(row, QAccessible.Event.Focus))


def tell_current(part: QWidget) -> None:
    """Tell readers that the keyboard acts on another drawn part now."""
    if not QAccessible.isActive() or not part.hasFocus() or not isinstance(part, DrawsParts):
        return
    found, key = QAccessible.queryAccessibleInterface(part), part.current_key()
    if isinstance(found, _Drawing) and key:
        QAccessible.updateAccessibility(QAccessibleEvent(found.drawn(key), QAccessible.Event.Focus))


def _is_shown(part: QAccessibleInterface | None) -> bool:
    shown = None if part is None else part.object()
    return isinstance(shown, QWidget) and not shown.isHidden()


def _forget_what_was_told(part: QWidget) -> None:
    """Drop what a reader cached when it met the part as a plain widget, while it was made."""
    known = QAccessible.queryAccessibleInterface(part) if QAccessible.isActive() else None
    if known is not None and not isinstance(known, _Part):
        QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(known))


@cache
def _answer_readers() -> None:
    """Answer readers once a process: Qt asks for every widget that a reader meets, class by class."""
    QAccessible.installFactory(_spoken)


def _spoken(_class_name: str, part: QObject | None) -> QAccessibleWidget | None:
    role = part.property(ROLE) if isinstance(part, QWidget) else None
    if role is None or not isinstance(part, QWidget):
        return None
    kind = _Drawing if isinstance(part, DrawsParts) else _Ordered if part.property(IN_ORDER) else _Part
    return kind(part, QAccessible.Role(role))
