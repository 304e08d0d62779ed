"""Spoken roles of painted parts, for those who hear the window: a role each, and the words of drawn ones.

Qt takes a plain widget for a filler, whatever it is called, and readers pass over fillers.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

ROLE, IN_ORDER = "spokenRole", "spokenInOrder"
MOST_CHARACTERS = 20_000  # of the words of one part; what is longer is read in an editor, or copied


@runtime_checkable
class Worded(Protocol):
    """Widget that shows words of its own."""

    def spoken_words(self) -> str:
        """Return the words that it says, in place of its accessible name."""


def speak_as(part: QWidget, role: QAccessible.Role) -> None:
    """Give a part a role for readers."""
    _answer_readers()
    part.setProperty(ROLE, role.value)
    _forget_what_was_told(part)


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
    kind = _Ordered if part.property(IN_ORDER) else _Part
    return kind(part, QAccessible.Role(role))
