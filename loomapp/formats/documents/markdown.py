"""Markdown: turns by headings that name who speaks, else a buffer by its headings, to the character."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence
from loomapp.formats.documents.passages import (
    book,
    chapters,
    dialogue,
    end_of_front_matter,
    heading_turns,
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
_TITLE = re.compile(r"\s*#[ \t]+([^\n]+)")


def recognises(source: Source) -> Sentence | None:
    """See `Importer`."""
    return sentence("text with headings of Markdown") if _HEADING.search(text_in_head(source)) else None


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The one tree of the text. Raises: InvalidInput."""
    text, notes = whole_text(source)
    turns = heading_turns(text) or speaker_turns(text)
    named = _TITLE.match(text, end_of_front_matter(text) if turns else 0)
    title = named[1].strip().rstrip("#").strip() if named else PurePosixPath(source.path.name).stem
    one = dialogue(FORMAT, title, turns) if turns else book(FORMAT, title, chapters(text, _HEADING, _FENCE))
    one.notes += notes
    yield finding_of(one, reading)
    progress(source.size, source.size)
