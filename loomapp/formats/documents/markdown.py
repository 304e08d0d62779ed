"""Markdown: turns by headings that name who speaks, else a buffer by its headings, to the character."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence
from loomapp.formats.documents.passages import (
    CODE,
    book,
    chapters,
    dialogue,
    end_of_front_matter,
    front_title,
    heading_turns,
    speaker_kind,
    speaker_turns,
)
from loomapp.formats.documents.plain_text import text_in_head, whole_text
from loomapp.formats.foreign_files import finding_of
from loomapp.formats.importer import Finding, Reading
from loomapp.formats.sources import Source

FORMAT = "markdown"
_HEADING = re.compile(r"^#{1,6}[ \t]+\S[^\n]*$", re.MULTILINE)
_FENCE = re.compile(  # one that is not closed goes on to the end
    r"^(?:```[^`\n]*|~~~[^\n]*)\n(?:.*?^(?:```|~~~)[ \t\r]*$|.*\Z)", re.MULTILINE | re.DOTALL
)
_UNDERLINED = re.compile(  # a heading by the line below it, after a blank line
    r"(?:\A|(?<=\n\n)|(?<=\n\r\n))([^\s#>|*+=-][^\n]{0,79})\n(?:(={3,})|-{3,})[ \t\r]*(?=\n|\Z)"
)
_PART = re.compile(f"{_HEADING.pattern}|{_UNDERLINED.pattern}", re.MULTILINE)
_CODE_OR_UNDERLINED = re.compile(f"{CODE.pattern}|{_UNDERLINED.pattern}", re.MULTILINE)
_TITLE = re.compile(r"\s*#[ \t]+([^\n]+)")


def recognises(source: Source) -> Sentence | None:
    text = text_in_head(source)
    is_one = _HEADING.search(text) or _UNDERLINED.search(text, end_of_front_matter(text))
    return sentence("text with headings of Markdown") if is_one else None


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The one tree of the text. Raises: InvalidInput."""
    text, notes = whole_text(source)
    signed = _with_signs(text)
    turns = heading_turns(signed) or speaker_turns(signed)
    named = _TITLE.match(signed, end_of_front_matter(signed) if turns else 0)
    title = named[1].strip().rstrip("#").strip() if named else front_title(text)
    title = title or PurePosixPath(source.path.name).stem
    if turns:
        one = dialogue(FORMAT, title, turns)
    else:
        begin = end_of_front_matter(text)
        first, *others = chapters(text[begin:], _PART, _FENCE)
        one = book(FORMAT, title, [text[:begin] + first, *others])
    one.notes += notes
    yield finding_of(one, reading)
    progress(source.size, source.size)


def _with_signs(text: str) -> str:
    """The text with its title and the names of who speaks as headings with signs, if a line is below them."""
    begin = end_of_front_matter(text)
    body = text[begin:]
    first = len(body) - len(body.lstrip())

    def signed(match: re.Match[str]) -> str:
        _, heading, is_first = match.groups()
        if heading is None or not (match.start() <= first or speaker_kind(heading) is not None):
            return match[0]
        return f"{'#' if is_first else '##'} {heading.strip()}"

    return text[:begin] + _CODE_OR_UNDERLINED.sub(signed, body)
