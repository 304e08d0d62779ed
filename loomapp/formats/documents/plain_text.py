"""Plain text in any code page: turns by who speaks, else a buffer by chapters, to the character."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from loomapp.core.errors import InvalidInput
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.formats.documents.passages import CHAPTER, book, chapters, dialogue, front_title, speaker_turns
from loomapp.formats.foreign_files import finding_of
from loomapp.formats.importer import Finding, Reading
from loomapp.formats.sources import Source

FORMAT = "text"
MOST_TEXT_BYTES = 1 << 28
_UNPRINTED = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_JSON = re.compile(r"\s*(?:\{\s*(?:[\"}]|\Z)|\[\s*(?:[\[{\"\]]|-?\d+\s*(?:,|\]\s*\Z)|\Z))")
_BEYOND_ASCII = bytes(range(0x80, 0x100))
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OF_OTHERS = re.compile(
    rb"\s*(?:<!doctype\b|<html\b|<\?xml\b|\{\\rtf|%PDF-|---\s.{0,4000}TapestryLoomWeave)",
    re.IGNORECASE | re.DOTALL,
)


def recognises(source: Source) -> Sentence | None:
    return sentence("it is text") if text_in_head(source) else None


def text_in_head(source: Source) -> str:
    """The beginning of a file that is text; empty for what is none, and for JSON."""
    if not source.is_single:
        return ""
    data = source.head(source.names[0]).text
    if _OF_OTHERS.match(data):
        return ""
    try:
        text, _ = _decoded(data, final=False)
    except UnicodeDecodeError:
        return ""
    return "" if not text.strip() or _UNPRINTED.search(text) or _JSON.match(text) else text


def _decoded(data: bytes, *, final: bool) -> tuple[str, CodePage | None]:
    """The text, and its code page if it is of one. Raises: UnicodeDecodeError."""
    encoding = "utf-16" if data.startswith(_UTF_16) else "utf-8-sig"
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, final), None
    except UnicodeDecodeError:
        if encoding == "utf-16" or not _is_mostly_ascii(data):
            raise
        page = code_page_of(data)
        return data.decode(page.encoding), page


def _is_mostly_ascii(data: bytes) -> bool:
    """Tell whether bytes that are no UTF-8 may be a text in Latin letters: few are no ASCII, and few of those
    are UTF-8, as they are in a text that is damaged.
    """
    beyond = len(data) - len(data.translate(None, _BEYOND_ASCII))
    readable = len(data.decode("utf-8", "ignore").encode()) - (len(data) - beyond)
    return beyond * 3 < len(data) and readable * 2 < beyond


def whole_text(source: Source) -> tuple[str, tuple[Sentence, ...]]:
    """The text of a file, and what is to be told of it. Raises: OSError; InvalidInput, one line."""
    name = source.names[0] if source.names else ""
    if not source.is_single:
        raise InvalidInput("it is no text; choose a file")
    if source.member_size(name) > MOST_TEXT_BYTES:
        raise InvalidInput(
            worded("it is larger than {most} MiB, too large a text", most=MOST_TEXT_BYTES >> 20)
        )
    with source.open(name) as file:
        data = file.read()
    try:
        text, page = _decoded(data, final=True)
    except UnicodeDecodeError as error:
        raise InvalidInput("it is no UTF-8 text; save it as UTF-8") from error
    if not text.strip():
        raise InvalidInput("it is empty")
    if _UNPRINTED.search(text):
        raise InvalidInput("it is no text: it holds characters that no text does")
    return text, (page.told,) if page is not None else ()


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The one tree of the text. Raises: InvalidInput."""
    text, notes = whole_text(source)
    title = front_title(text) or PurePosixPath(source.path.name).stem
    turns = speaker_turns(text)
    one = dialogue(FORMAT, title, turns) if turns else book(FORMAT, title, chapters(text, CHAPTER))
    one.notes += notes
    yield finding_of(one, reading)
    progress(source.size, source.size)


MOST_BYTES = 1 << 20  # that are looked at
FEW = 3  # letters, of which nothing follows
RARE = 0.02  # of all letters: languages of Central Europe and Turkish write more of their own
SEVERAL = 0.8  # what letters of several western languages are worth, beside those of one
BETTER = 0.1  # how much more of the letters must be a language's own than are in western text


class CodePage(NamedTuple):
    """One encoding, what is told of a text that was read in it, and the letters of each language in it beside
    those of English.
    """

    encoding: str
    told: Sentence
    alphabets: tuple[str, ...]


_WEST = (
    *("àâæçèéêëîïôœùûüÿ", "äöüß", "áéíñóúü¿", "àáâãçéêíóôõúü", "àèéìíîòóù", "åäöé", "æøåéó"),
    *("áéíóúýðþæö", "áéëïíóöüú", "àçèéíïòóúü"),
)
_ALL_WEST = frozenset("".join(_WEST))
CODE_PAGES = (
    CodePage("cp1252", sentence("it is no UTF-8, and was read as Windows text"), _WEST),
    CodePage(
        "cp1250",
        sentence("it is no UTF-8, and was read as Windows text of Central Europe"),
        ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ"),
    ),
    CodePage("cp1254", sentence("it is no UTF-8, and was read as Turkish Windows text"), ("çğıiöşüâîû",)),
    CodePage("mac_roman", sentence("it is no UTF-8, and was read as text of an old Mac"), _WEST),
)
WESTERN = CODE_PAGES[0]


def code_page_of(data: bytes) -> CodePage:
    """The code page in which most letters of a text are those of one language; the western one unless another
    fits clearly better.
    """
    part = data[:MOST_BYTES]
    fits = {page: _fit(part, page) for page in CODE_PAGES}
    best = max(CODE_PAGES, key=lambda page: fits[page])
    return best if fits[best] > fits[WESTERN] + BETTER else WESTERN


def _fit(data: bytes, page: CodePage) -> float:
    """The share of the letters beyond ASCII, and of what stands there for none, that one language writes.
    Western text may name people and places of several; of another page there must be more than a few letters,
    and of languages that write many of their own, many.
    """
    text = data.decode(page.encoding, "replace")
    letters = [found for found in _LETTER.finditer(text) if found[0] > "\x7f"]
    least = FEW if page.alphabets is _WEST else max(FEW, RARE * sum(map(str.isalpha, text)))
    if page is not WESTERN and len(letters) < least:
        return 0.0
    if not letters:
        return 1.0
    own = Counter(found[0].lower()[0] for found in letters if not _is_out_of_case(found))
    share = max(sum(own[sign] for sign in set(alphabet)) for alphabet in page.alphabets)
    together = sum(own[sign] for sign in _ALL_WEST) * SEVERAL if page is WESTERN else 0
    return max(share, together) / len(letters)


def _is_out_of_case(found: re.Match[str]) -> bool:
    """True for a capital behind a small letter, which is mostly a small letter of another code page."""
    return found[0].isupper() and found.string[found.start() - 1 : found.start()].islower()


# A letter, or in a word what letters of other code pages look like; a number may be followed by ³.
_LETTER = re.compile(r"[^\W\d_¹²³¼½¾]|\ufffd|(?<=[a-z])[¹³¿¥¯¾ˆ](?=[a-z])")
