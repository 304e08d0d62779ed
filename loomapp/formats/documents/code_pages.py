"""Code pages of texts from before UTF-8, told apart by the letters that one language writes."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from loomapp.core.sentences import Sentence, sentence

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
