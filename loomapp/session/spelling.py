"""Spelling: words looked up on a thread of its own, in a dictionary, and the user's own words."""

from __future__ import annotations

import importlib.util
import logging
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from unicodedata import normalize

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp import places
from loomapp.regular_files import read_text

LOOK_MS = 40
END_WAIT_S = 1.0
MOST_SUGGESTIONS = 6
SYSTEM_FOLDERS = (
    "/usr/share/hunspell",
    "/usr/share/myspell",
    "/usr/share/myspell/dicts",
    "/Library/Spelling",
    "/usr/local/share/hunspell",
)

_log = logging.getLogger(__name__)


class Spelling(QObject):
    """A spelling checker: tells wrong words, and suggestions for them. A word that was not looked up yet is
    not wrong, and none is while it is off. Belongs to the GUI thread, which never waits for the dictionary.
    """

    changed = Signal()  # more is known, or other words count

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.language = ""
        self._known: dict[str, bool] = {}
        self._suggestions: dict[str, tuple[str, ...]] = {}
        self._own = frozenset(_read_words())
        self._ignored: set[str] = set()
        self._worker: _Worker | None = None
        self._awaited = 0  # words of which more is to be told
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.on_look)

    @property
    def is_on(self) -> bool:
        return self._worker is not None

    def use(self, language: str) -> bool:
        """Look words up in a language, "" for none. False if no dictionary can be read."""
        if language == self.language:
            return not language or self.is_on
        self.close()
        self.language = language
        folder = folder_of(language) if language and is_installed() else None
        if folder is not None:
            self._worker = _Worker(language, folder)
            self._worker.start()
        self.changed.emit()
        return not language or self.is_on

    def close(self) -> None:
        worker, self._worker = self._worker, None
        self._timer.stop()
        self._known.clear()
        self._suggestions.clear()
        self._awaited = 0
        if worker is not None:
            worker.asked.put(None)
            worker.join(END_WAIT_S)

    def wrong(self, words: Iterable[str]) -> frozenset[str]:
        """Return the words that are known to be wrong; those that nobody looked up yet are looked up from now
        on.
        """
        if self._worker is None:
            return frozenset()
        found = set()
        for word in words:
            known = self._known.get(word)
            if known is None:
                self._known[word] = True  # until it is known better
                self._worker.asked.put(word)
                self._awaited += 1
                if not self._timer.isActive():
                    self._timer.start()
            elif not known and not self._counts(word):
                found.add(word)
        return frozenset(found)

    def suggestions(self, word: str) -> tuple[str, ...] | None:
        """Return words that could be meant, the likeliest first; None if they are not known yet."""
        return self._suggestions.get(word)

    def ignore(self, word: str) -> None:
        """Take a word as right until the program ends."""
        self._ignored.add(normalize("NFC", word))
        self.changed.emit()

    def add(self, word: str) -> None:
        """Take a word as right: it is kept in `words.txt`, a word a line, beside the settings."""
        self._own |= {normalize("NFC", word)}
        path = words_file()
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{one}\n" for one in sorted(self._own)), encoding="utf-8")
        self.changed.emit()

    def on_look(self) -> None:
        """Take what was found out."""
        worker = self._worker
        if worker is None:
            return
        is_other = False
        while not worker.told.empty():
            word, is_right, suggestions = worker.told.get()
            if not is_right and suggestions is None:
                self._known[word] = False
                is_other = True
                continue
            self._awaited -= 1
            if suggestions is not None:
                self._suggestions[word] = suggestions
        if not self._awaited or not worker.is_alive():
            self._timer.stop()
        if is_other:
            self.changed.emit()

    def _counts(self, word: str) -> bool:
        word = normalize("NFC", word)
        return any(one in self._own or one in self._ignored for one in (word, word.lower()))


class _Worker(threading.Thread):
    """Looks up what is asked; None ends it. Tells of each word whether it is right, and of a wrong one once
    more, when nobody asks, what it could mean.
    """

    def __init__(self, language: str, folder: Path) -> None:
        super().__init__(name="spelling", daemon=True)
        self._language, self._folder = language, folder
        self.asked: SimpleQueue[str | None] = SimpleQueue()
        self.told: SimpleQueue[tuple[str, bool, tuple[str, ...] | None]] = SimpleQueue()
        self._waiting: list[str] = []

    def run(self) -> None:
        """Look words up until it is ended."""
        try:
            from hunspell import Hunspell

            dictionary = Hunspell(self._language, hunspell_data_dir=str(self._folder))
        except Exception as error:  # whatever a damaged dictionary does
            _log.info("The dictionary %s cannot be used: %s", self._language, error)
            return
        while True:
            if self.asked.empty() and self._waiting:
                self._suggest(dictionary, self._waiting.pop())
                continue
            word = self.asked.get()
            if word is None:
                return
            is_right = _is_right(dictionary, word)
            self.told.put((word, is_right, None))
            if not is_right:
                self._waiting.append(word)

    def _suggest(self, dictionary: Any, word: str) -> None:
        found: Sequence[str] = dictionary.suggest(normalize("NFC", word))
        self.told.put((word, False, tuple(found[:MOST_SUGGESTIONS])))


def _is_right(dictionary: Any, word: str) -> bool:
    try:
        return bool(dictionary.spell(normalize("NFC", word).replace("’", "'")))
    except UnicodeEncodeError:  # a script that this dictionary knows nothing of
        return True


def is_installed() -> bool:
    """True if dictionaries can be read: the extra `spelling` is there."""
    return importlib.util.find_spec("hunspell") is not None


def folder_of(language: str) -> Path | None:
    """Find the folder with the dictionary of a language: the user's own, the system's, or the one that comes
    along with the extra; None if there is none.
    """
    spec = importlib.util.find_spec("hunspell")
    own = [places.config_folder() / "dictionaries"]
    bundled = [Path(spec.origin).parent / "dictionaries"] if spec is not None and spec.origin else []
    for folder in (*own, *map(Path, SYSTEM_FOLDERS), *bundled):
        if (folder / f"{language}.aff").is_file() and (folder / f"{language}.dic").is_file():
            return folder
    return None


def words_file() -> Path:
    return places.config_folder() / "words.txt"


def _read_words() -> list[str]:
    try:
        return normalize("NFC", read_text(words_file())).split()
    except (OSError, UnicodeDecodeError):
        return []
