"""Spelling: words looked up on a thread of its own, in a dictionary, and the user's own words."""

from __future__ import annotations

import importlib.util
import logging
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from unicodedata import category, normalize

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp import places
from loomapp.files import read_text

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


LONGEST_WORD = 60  # characters: what is longer is no word
WORD = re.compile(r"[^\W\d_]++(?:['’][^\W\d_]++)*+")
PIECE = re.compile(r"`[^`\n]*`|[^\s`]+")  # code, or what stands between spaces
NO_PROSE = re.compile(r"[\\/_\d]|(?<!^)@(?!$)")  # addresses, mail, paths, names of programs, digits
NAMES = re.compile(r"(?<!\w)(?:(?:www\.|mailto:).*|\w++(?:\.\w++)+)")  # file.txt, example.org
FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
FENCE_REACH = 20_000  # characters before a stretch in which a fence is looked for


def words(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a text that are words of prose, from the first character to before the last. Takes
    time in proportion to the text, whatever it is made of.
    """
    letters = _marks_as_letters(text)
    for piece in PIECE.finditer(letters):
        said = piece.group()
        if said[0] == "`" or NO_PROSE.search(said):
            continue
        if not said.isalpha():  # a name leaves nothing to look up in its place
            said = NAMES.sub(lambda match: " " * len(match.group()), said)
        for match in WORD.finditer(said):
            start, end = match.span()
            if 1 < end - start <= LONGEST_WORD and not any(map(str.isupper, said[start + 1 : end])):
                yield piece.start() + start, piece.start() + end


def is_within_word(text: str, at: int) -> bool:
    """True if what stands on both sides of a place belongs to one word."""
    return 0 < at < len(text) and _is_of_word(text[at - 1]) and _is_of_word(text[at])


def is_word_at(text: str, start: int, word: str) -> bool:
    """True if this word, and not a part of a longer one, begins at a place of a text."""
    end = start + len(word)
    whole = not is_within_word(text, start) and not is_within_word(text, end)
    return bool(word) and start >= 0 and text[start:end] == word and whole


def is_code(text: str, at: int) -> bool:
    """True if a place of a text is within fenced code; the fence may stand so many characters before it."""
    before = text[max(0, at - FENCE_REACH) : at]
    return ("```" in before or "~~~" in before) and len(FENCE.findall(before)) % 2 == 1


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_" or category(character)[0] == "M"


def _marks_as_letters(text: str) -> str:
    """The text, as long as it was, with a letter in the place of each mark that is combined with one."""
    if text.isascii():
        return text
    marks = "".join(one for one in set(text) if category(one)[0] == "M")
    if not marks:
        return text
    combined = re.compile(rf"(?<=[^\W\d_])[{re.escape(marks)}]+")
    return combined.sub(lambda match: "x" * len(match.group()), text)
