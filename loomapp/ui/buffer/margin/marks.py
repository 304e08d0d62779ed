"""Marks beside the text: those of a passage, and the lines where what is sent is cut."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor


@dataclass(frozen=True, slots=True)
class MarginMarks:
    """Marks beside one passage in view, in positions of the text.

    `hollow`: it is only offered. `dashed`: it is not sent. `mark` is an icon with its meaning in `tip`.
    """

    key: str
    begin: int
    end: int
    tint: QColor
    number: int = 0  # of `count` siblings, from 1; 0 if none of them is shown
    count: int = 0
    version: int = 0  # likewise among `versions`
    versions: int = 0
    hollow: bool = False
    dashed: bool = False
    interrupted: str = ""
    bookmarked: bool = False
    is_tail: bool = False


@dataclass(frozen=True, slots=True)
class CutLine:
    """Line where what is sent begins or ends for want of room."""

    position: int
    words: str
    short: str  # where there is no room for the words
