"""Sessions of coding agents as JSON Lines: entries by parent ids, read line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.formats.conversation import Conversation
from loomapp.formats.foreign_files import NO_MESSAGES, finding_of, findings_of, members_with
from loomapp.formats.foreign_json import read_lines, samples
from loomapp.formats.importer import Finding, Reading
from loomapp.formats.json_text import Readable
from loomapp.formats.sources import Source

MOST_FAULTS = 5  # that are named one by one


@dataclass(frozen=True, slots=True)
class LinesFormat:
    """A session as JSON Lines: how one of its first lines is told, and how it is made a conversation."""

    why: str
    is_line: Callable[[Json], bool]
    read_session: Callable[[Iterable[Json]], Conversation]

    def recognises(self, source: Source) -> Sentence | None:
        return sentence(self.why) if self._members(source) else None

    def _members(self, source: Source) -> list[str]:
        return members_with(source, self._is_one)

    def _is_one(self, source: Source, name: str) -> bool:
        if source.head(name).text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            return False
        return any(isinstance(line, dict) and self.is_line(line) for line in samples(source, name))

    def findings(self, source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
        names = self._members(source) or list(source.names[:1])
        yield from findings_of(
            source, names, lambda i: finding_of(self._session(source, i), reading), progress
        )

    def _session(self, source: Source, name: str) -> Conversation:
        faults: list[Sentence] = []
        with source.open(name) as file:
            one = self.read_session(_entries(file, faults))
        if not one.messages:
            raise InvalidInput(faults[0] if faults else NO_MESSAGES)
        one.losses += tuple(faults[:MOST_FAULTS])
        if len(faults) > MOST_FAULTS:
            one.losses += (worded("{count} more lines are no entries", count=len(faults) - MOST_FAULTS),)
        return one


def _entries(file: Readable, faults: list[Sentence]) -> Iterator[Json]:
    """Yield the objects of lines, noting what else stands there."""
    for line in read_lines(file):
        if isinstance(line.value, dict):
            yield line.value
        else:
            faults.append(line.fault or worded("line {number}: it is no entry", number=line.number))
