"""Numbers, times and dates as the reader's country writes them."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QDate, QDateTime, QLocale


def locale() -> QLocale:
    """The reader's locale; English where the system has none (plain C), which groups no thousands."""
    return _readers(QLocale())


@lru_cache(maxsize=8)
def _readers(own: QLocale) -> QLocale:
    return QLocale(QLocale.Language.English) if own.language() == QLocale.Language.C else own


def number(value: int) -> str:
    """Return a whole number with its thousands set apart: 1,658."""
    return _number(QLocale(), value)


@lru_cache(maxsize=4096)
def _number(_own: QLocale, value: int) -> str:
    """Writing a number takes as long as drawing it, and most that are painted were painted before."""
    return locale().toString(value)


def moment(milliseconds: int) -> str:
    """A time of today as 11:40, an earlier one as 21 Nov, or with its year if that is another."""
    then, now = QDateTime.fromMSecsSinceEpoch(milliseconds), QDateTime.currentDateTime()
    if then.date() == now.date():
        return locale().toString(then.time(), "HH:mm")
    pattern = "d MMM" if then.date().year() == now.date().year() else "d MMM yyyy"
    return locale().toString(then.date(), pattern)


def exact_moment(milliseconds: int) -> str:
    """`21 Nov 2026 11:40:07`."""
    return locale().toString(QDateTime.fromMSecsSinceEpoch(milliseconds), "d MMM yyyy HH:mm:ss")


def size(count_bytes: int) -> str:
    """`120 kB`, `3.4 MB`."""
    return locale().formattedDataSize(count_bytes, 1, QLocale.DataSizeFormat.DataSizeSIFormat)


def day(milliseconds: int) -> str:
    """`21 Nov 2026`."""
    return date(QDateTime.fromMSecsSinceEpoch(milliseconds).date())


def date(then: QDate) -> str:
    """`21 Nov 2026`."""
    return locale().toString(then, "d MMM yyyy")


def month(milliseconds: int) -> str:
    return locale().toString(QDateTime.fromMSecsSinceEpoch(milliseconds).date(), "MMM yyyy")
