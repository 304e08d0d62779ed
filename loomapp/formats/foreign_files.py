"""Files of other programs: members that hold conversations of one kind, read one conversation at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import well_formed
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.formats.conversation import Conversation, tree_of
from loomapp.formats.foreign_json import BYTE_ORDER_MARK, is_lines, read_lines, read_object, samples
from loomapp.formats.foreign_values import list_of, object_of, objects_in
from loomapp.formats.importer import Damaged, Finding, Found, Reading
from loomapp.formats.lenient_json import read_list
from loomapp.formats.sources import Source

_INSIDE = "conversations"  # of an object that holds them all
NO_MESSAGES = sentence("damaged: no messages found")
_DIGITS = re.compile(r"(\d+)")


@dataclass(slots=True)
class Unread:
    """A conversation that certainly has messages, of which id and title are known before it is read.

    An import looks at all of a file before it writes anything, and needs no more of it then.
    """

    id: str
    title: str
    read: Callable[[], Conversation]
    _read: Conversation | None = None

    def conversation(self) -> Conversation:
        """The conversation, read once."""
        if self._read is None:
            self._read, self.read = self.read(), _gone  # which lets go of the object of the file
        return self._read


def _gone() -> Conversation:
    raise AssertionError("it is read once")


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """A program's JSON: how one of its objects is told, and how conversations are made of it.

    `is_one` is given an object whose deeper parts may be missing. `read` raises InvalidInput for an object
    of which nothing can be made. With `in_folders` a folder of such files is one export.
    """

    why: str
    is_one: Callable[[Json], bool]
    read: Callable[[Json], Iterable[Conversation | Unread | Damaged]]
    in_folders: bool = False

    def recognises(self, source: Source) -> Sentence | None:
        return sentence(self.why) if self.members(source) else None

    def members(self, source: Source) -> list[str]:
        """The members that hold such objects, in the order of their numbers."""
        return members_with(source, self._is_one, in_folders=self.in_folders)

    def _is_one(self, source: Source, name: str) -> bool:
        return any(self.is_one(item) for item in sampled(source, name))

    def findings(self, source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
        names = self.members(source) or list(source.names[:1])
        done, size = 0, sum(map(source.member_size, names))
        for name in names:
            if is_list(source, name) or is_several(source, name):
                for at, place, item in items_of(source, name):
                    progress(done + at, size)
                    yield from self._of_item(item, place, reading)
            else:
                yield from self._of_object(source, name, reading, is_only=len(names) == 1)
            done += source.member_size(name)
            progress(done, size)

    def _of_object(self, source: Source, name: str, reading: Reading, *, is_only: bool) -> Iterator[Finding]:
        try:
            for one in self.read(read_object(source, name)):
                yield finding_of(one, reading)
        except InvalidInput as error:
            if is_only:
                raise
            yield Damaged("", name, sentence(error.message))

    def _of_item(self, item: object, place: str, reading: Reading) -> Iterator[Finding]:
        if not isinstance(item, dict):
            yield no_conversation(item, place)
            return
        try:
            for one in self.read(item):
                yield finding_of(one, reading)
        except InvalidInput as error:
            title = next((t for k in ("title", "name") if isinstance(t := item.get(k), str)), "")
            yield Damaged("", well_formed(title), worded("{place}: {why}", place=place, why=error.message))


def sampled(source: Source, name: str) -> Iterator[Json]:
    """Yield the first conversations of a member, cut short: those of a list, of lines, or of an object."""
    for item in samples(source, name):
        if isinstance(item, dict):
            yield item
            yield from objects_in(item.get(_INSIDE))


def is_several(source: Source, name: str) -> bool:
    """Tell whether a member that is no list holds several conversations: as lines, or in one object."""
    first = samples(source, name)[:2]
    if len(first) > 1:
        return is_lines(source, name)
    return bool(first) and isinstance(object_of(first[0]).get(_INSIDE), list)


def items_of(source: Source, name: str) -> Iterator[tuple[int, str, object]]:
    """Yield what should be the conversations of a member one by one, each with how many bytes were read until
    then, and its place; of a line that cannot be read, a sentence that says why.

    Raises: OSError, InvalidInput.
    """
    with source.open(name) as file:
        try:
            if is_list(source, name):
                for number, item in enumerate(read_list(file)):
                    yield file.tell(), f"{name}[{number}]", item
            elif is_lines(source, name):
                for line in read_lines(file):
                    fault = line.fault and worded("{name}, {why}", name=name, why=line.fault)
                    yield line.end, f"{name}, line {line.number}", fault or line.value
            else:
                for number, item in enumerate(list_of(read_object(source, name).get(_INSIDE))):
                    yield 0, f"{name}: {_INSIDE}[{number}]", item
        except InvalidInput as error:
            raise with_remedy(name, error) from error


def no_conversation(item: object, place: str) -> Damaged:
    """The finding of an item that is none, or of the sentence that stands for it."""
    if isinstance(item, Sentence):
        return Damaged("", "", item)
    return Damaged("", "", worded("{place}: it is no conversation", place=place))


def with_remedy(name: str, error: InvalidInput) -> InvalidInput:
    """The fault of a member in which nothing more can be read, with what to do."""
    place = str(error.details.get("place", ""))
    told = error.message
    if told.startswith("["):
        told = f"{name}{told}"
    elif name not in told:
        told = f"{name}: {told}"
    remedy = "Nothing was read of what follows; ask for the export again"
    return InvalidInput(worded("{told}. {remedy}", told=told, remedy=remedy), place=place)


def is_list(source: Source, name: str) -> bool:
    return source.head(name).text.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(b"[")


def members_with(
    source: Source, is_one: Callable[[Source, str], bool], *, in_folders: bool = False
) -> list[str]:
    """The members of a file or zip that are of a kind, in the order of their numbers."""
    if source.is_folder and not in_folders:
        return []
    found = [name for name in source.names if is_one(source, name)]
    return sorted(found, key=lambda name: [int(p) if p.isdecimal() else p for p in _DIGITS.split(name)])


def findings_of(
    source: Source, names: Sequence[str], read: Callable[[str], Finding], progress: Progress
) -> Iterator[Finding]:
    """Read members one by one; of several, one that cannot be read is told of. Raises: InvalidInput."""
    done, size = 0, sum(map(source.member_size, names))
    for name in names:
        try:
            yield read(name)
        except InvalidInput as error:
            if len(names) == 1:
                raise
            yield Damaged("", name, sentence(error.message))
        done += source.member_size(name)
        progress(done, size)


def finding_of(one: Conversation | Unread | Damaged, reading: Reading) -> Finding:
    if isinstance(one, Damaged):
        return one
    if isinstance(one, Unread) and one.title:
        unread = one
        return Found(
            one.id,
            one.title,
            lambda: unread.conversation().facts(),
            lambda owner: tree_of(unread.conversation(), reading.now, owner),
            is_read=True,
        )
    if isinstance(one, Unread):
        one = one.conversation()
    if not one.messages:
        return Damaged(one.id, one.title, NO_MESSAGES)
    conversation = one
    if not conversation.title:
        conversation.title = conversation.first_words()
    return Found(
        conversation.id,
        conversation.title,
        conversation.facts,
        lambda owner: tree_of(conversation, reading.now, owner),
        is_read=True,
    )
