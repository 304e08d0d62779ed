"""Chats of SillyTavern: swipes are siblings, and files that begin alike the branches of one tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import PurePosixPath

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import AttachedDocument, Block, Text, well_formed
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.core.times import Milliseconds
from loomapp.formats.conversation import Author, Conversation, Message, model_author
from loomapp.formats.foreign_blocks import Gathered, beside, content_of, texts_of
from loomapp.formats.foreign_files import NO_MESSAGES, finding_of, members_with
from loomapp.formats.foreign_json import read_lines, samples
from loomapp.formats.foreign_values import (
    MOST_TITLE,
    kept,
    list_of,
    made_id,
    moment,
    object_of,
    objects_in,
    text_of,
    title_of,
)
from loomapp.formats.importer import Damaged, Finding, Reading
from loomapp.formats.links import PrefixTree, Turn, linked
from loomapp.formats.sources import Source

FORMAT = "sillytavern"
WHY = "a first line with “user_name” and “chat_metadata”"
WHY_LINES = "lines with “mes” and “is_user”"
YOU = Author(None, "You", "human")
_MIME = {"image": "image/png", "video": "video/mp4", "audio": "audio/mpeg"}  # by what newer versions call it
_SHOWN = frozenset({"reasoning", "image", "image_swipes", "inline_image", "media", "video", "file", "files"})
_OF_MESSAGE = frozenset(
    {"name", "is_user", "is_system", "send_date", "mes", "swipes", "swipe_id", "swipe_info"}
)


def recognises(source: Source) -> Sentence | None:
    names = _members(source)
    if not names:
        return None
    return sentence(WHY if is_header(_first(source, names[0])) else WHY_LINES)


def _members(source: Source) -> list[str]:
    return members_with(source, is_chat, in_folders=True)


def is_chat(source: Source, name: str) -> bool:
    """Tell by its first line whether a member is a chat."""
    if not source.head(name).text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return False
    first = _first(source, name)
    return is_header(first) or _is_message(first)


def _first(source: Source, name: str) -> Json:
    return object_of(next(iter(samples(source, name)), None))


def _is_message(line: Json) -> bool:
    """Tell whether a line is a message: chats of groups may begin with one."""
    return all(isinstance(line.get(key), str) for key in ("name", "mes")) and "is_user" in line


def is_header(line: Json) -> bool:
    if isinstance(line.get("chat_metadata"), dict):
        return "user_name" in line and "mes" not in line
    return all(isinstance(line.get(key), str) for key in ("user_name", "character_name"))


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The trees of all chats. Raises: InvalidInput."""
    names = _members(source) or list(source.names[:1])
    chats: list[_Chat] = []
    done, size = 0, sum(map(source.member_size, names))
    for name in names:
        try:
            chats.append(_read_chat(source, name))
        except InvalidInput as error:
            if len(names) == 1:
                raise
            yield Damaged("", PurePosixPath(name).stem, sentence(error.message))
        done += source.member_size(name)
        progress(done, size)
    for family in _families(chats):
        yield finding_of(_conversation(family), reading)


@dataclass(slots=True)
class _Chat:
    """One file: its header, its turns, and what of it cannot be read."""

    name: str
    header: Json
    turns: list[Turn] = field(default_factory=list)
    gathered: Gathered = field(default_factory=Gathered)
    faults: list[Sentence] = field(default_factory=list)
    last_at: Milliseconds = 0

    @property
    def metadata(self) -> Json:
        return object_of(self.header.get("chat_metadata"))

    @property
    def character(self) -> str:
        name = title_of(self.header.get("character_name"))
        return "" if name == "unused" else name

    @property
    def firsts(self) -> Sequence[tuple[str, str]]:
        """The alternatives of its first turn: chats that share one are one tree."""
        return self.turns[0].options


def _read_chat(source: Source, name: str) -> _Chat:
    chat: _Chat | None = None
    with source.open(name) as file:
        for line in read_lines(file):
            value = line.value
            if chat is None:
                chat = _Chat(PurePosixPath(name).stem, {})
                if isinstance(value, dict) and is_header(value):
                    chat.header = value
                    continue
            if not isinstance(value, dict):
                chat.faults.append(
                    line.fault or worded("line {number}: it is no message", number=line.number)
                )
            elif "mes" in value or "swipes" in value:
                chat.turns.append(_turn(value, chat.gathered))
                chat.last_at = max(chat.last_at, moment(value.get("send_date")) or 0)
            else:
                chat.faults.append(worded("line {number}: it is no message", number=line.number))
    if chat is None or not chat.turns:
        raise InvalidInput(chat.faults[0] if chat is not None and chat.faults else NO_MESSAGES)
    return chat


def _turn(value: Json, gathered: Gathered) -> Turn:
    texts = [well_formed(swipe) for swipe in list_of(value.get("swipes")) if isinstance(swipe, str)]
    chosen = value.get("swipe_id")
    said = value.get("mes")
    at = chosen if isinstance(chosen, int) and 0 <= chosen < len(texts) else None
    if isinstance(said, str):
        said = well_formed(said)
        if at is None or texts[at] != said:
            if said not in texts:
                texts.append(said)
            at = texts.index(said)
    elif not texts:
        texts = [""]
    for key in ("mes", "swipes"):
        value.pop(key, None)  # what they say is in `texts` by now: a long chat holds it once
    name = title_of(value.get("name"))
    chosen_at = at or 0

    def message(number: int) -> Message:
        return _message(value, texts[number], number, gathered, is_chosen=number == chosen_at)

    return Turn([(name, text) for text in texts], chosen_at, message)


def _message(value: Json, text: str, number: int, gathered: Gathered, *, is_chosen: bool) -> Message:
    infos = list_of(value.get("swipe_info"))
    info = object_of(infos[number]) if number < len(infos) else {}
    about = value if is_chosen else info
    extra = {**object_of(info.get("extra")), **object_of(about.get("extra"))}
    at = moment(about.get("send_date")) or moment(info.get("send_date")) or moment(value.get("send_date"))
    left = kept(about, (*_OF_MESSAGE, "extra"))
    if more := kept(extra, _SHOWN):
        left["extra"] = more
    link = title_of(extra.get("bookmark_link"))
    attached = list(_attached(extra, gathered))
    return Message(
        _author(value, extra),
        content_of([*attached, Text(text)] if attached else [Text(text)]),
        at,
        is_excluded=value.get("is_system") is True,
        keys=left,
        is_bookmarked=bool(link),
        bookmark_label=link or None,
        reasoning=well_formed(text_of(extra.get("reasoning"))),
    )


def _attached(extra: Json, gathered: Gathered) -> Iterator[Block]:
    """Pictures, sounds and files: newer versions list their media, older ones name a picture and others."""
    media = [(one.get("url"), one) for one in objects_in(extra.get("media"))]
    if not media:
        older: Json = {"title": extra["title"]} if title_of(extra.get("title")) else {}
        urls = (extra.get("image"), *list_of(extra.get("image_swipes")), extra.get("video"))
        media = [(url, older) for url in dict.fromkeys(url for url in urls if isinstance(url, str))]
    for url, about in media:
        if isinstance(url, str) and url:
            yield _medium(url, about, gathered)
    for one in (object_of(extra.get("file")), *objects_in(extra.get("files"))):
        name, text = title_of(one.get("name")), texts_of(one.get("text"))
        if name and text:
            yield AttachedDocument(name, "text/plain", text, beside(kept(one, ("name", "text"))))
        elif name:
            yield gathered.placeholder(name, "", text_of(one.get("url")))


def _medium(url: str, about: Json, gathered: Gathered) -> Block:
    if (image := gathered.data_url(url, title_of(about.get("title")))) is not None:
        return image
    name, kind = (
        PurePosixPath(url.partition(":")[2] if url.startswith("data:") else url).name,
        about.get("type"),
    )
    mime = _MIME.get(text_of(kind, "image"), "application/octet-stream")
    return gathered.placeholder(name[:MOST_TITLE], mime, url[:MOST_TITLE], kept(about, ("url", "type")))


def _author(value: Json, extra: Json) -> Author:
    if value.get("is_user") is True:
        return YOU
    name, model = title_of(value.get("name")) or "Character", title_of(extra.get("model"))
    if not model:
        return model_author(f"{FORMAT}:{name}", name)
    return model_author(f"{FORMAT}:{name}:{model}", f"{name} ({model})")


def _families(chats: Iterable[_Chat]) -> list[list[_Chat]]:
    """Chats by their first turn; in each family what is no branch of another comes first."""
    families: list[list[_Chat]] = []
    by_first: dict[tuple[str, tuple[str, str]], list[_Chat]] = {}
    for chat in sorted(chats, key=lambda one: bool(one.metadata.get("main_chat"))):
        keys = [(chat.character, first) for first in chat.firsts]
        family = next((by_first[key] for key in keys if key in by_first), None)
        if family is None:
            family = []
            families.append(family)
        family.append(chat)
        for key in keys:
            by_first.setdefault(key, family)
    return families


def _conversation(family: list[_Chat]) -> Conversation:
    first = family[0]
    firsts = first.firsts
    prefix = PrefixTree(FORMAT)
    ends = {id(chat): prefix.add(_taken(chat.turns)) for chat in family}
    links = linked(prefix.entries, prefix.above)
    title = first.character or next((author for author, _ in firsts if author), "")
    newest = max(family, key=lambda chat: chat.last_at)
    one = links.conversation(FORMAT, made_id(FORMAT, first.character, firsts[0]), title, ends[id(newest)])
    scenario = first.metadata.get("scenario")
    one.system_context = well_formed(scenario) if isinstance(scenario, str) and scenario.strip() else None
    one.created_at = moment(first.header.get("create_date"))
    one.extra = {"files": _headers(family)}
    for chat in family:
        chat.gathered.put_into(one)
        one.losses += tuple(worded("{name}: {fault}", name=chat.name, fault=f) for f in chat.faults)
    one.notes = Gathered(hidden=sum(m.is_excluded for m in one.messages.values())).notes()
    if len(family) > 1:
        one.notes += (worded("{count} files are branches of it", count=len(family)),)
    if any(text_of(chat.metadata.get("note_prompt")) for chat in family):
        one.losses += (sentence("the author's note is kept, not sent"),)
    return one


def _taken(turns: list[Turn]) -> Iterator[Turn]:
    """Yield turns in order, and let go of each: it holds the line that its message is made of."""
    turns.reverse()
    while turns:
        yield turns.pop()


def _headers(family: list[_Chat]) -> Mapping[str, object]:
    return {well_formed(chat.name): kept(chat.header) for chat in family}
