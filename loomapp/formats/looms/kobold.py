"""Kobold Lite: a story with its other ways, each a full copy in the file; and stories of KoboldAI."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Block, Content, Text, well_formed
from loomapp.core.sentences import sentence
from loomapp.formats.conversation import Author, Conversation, Message, model_author
from loomapp.formats.foreign_blocks import Gathered, content_of
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
from loomapp.formats.foreign_values import (
    kept,
    list_of,
    made_id,
    object_of,
    objects_in,
    text_of,
    title_of,
    told,
)
from loomapp.formats.links import PrefixTree, Turn, linked

FORMAT = "kobold"
YOU = Author(None, "You", "human")
MODEL = model_author("kobold:model", "Model")
SYSTEM = model_author("kobold:system", "System")
_SIGN = re.compile(
    r"(\{\{\[(?:INPUT|OUTPUT|SYSTEM)(?:_END)?\]\}\})"
)  # of who speaks, where one instructs a model
_SIGNS = {"{{[INPUT": YOU, "{{[OUTPUT": MODEL, "{{[SYSTEM": SYSTEM}
_TAGS = {"instruct_starttag": YOU, "instruct_endtag": MODEL, "instruct_systag": SYSTEM}
_ADVENTURE, _CHAT, _INSTRUCT = 2, 3, 4  # what a story is, by the settings saved with it
_BETWEEN_NAMES = "||$||"
_OF_PLAYER = re.compile(r"\s*> ")
# A picture in a text: a `data:` address, or the name of one that was still being made.
_PICTURE = re.compile(r"\[<\|([dp])\|([^|]*)\|\1\|>\]")
_IMAGE = "image"
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_PLACED = frozenset({"gamestarted", "prompt", "actions", "altbranches", "memory"})


def is_story(item: Json) -> bool:
    return "gamestarted" in item and (isinstance(item.get("actions"), list | dict) or "prompt" in item)


def read_story(item: Json) -> Iterator[Conversation]:
    """The story with its other ways. Raises: InvalidInput if there is nothing in it."""
    prompt = item.get("prompt")
    first = [well_formed(prompt)] if isinstance(prompt, str) and prompt else []
    actions, others = _actions(item.get("actions"))
    others += _alternatives(object_of(item.get("actions_metadata")), actions)
    story = [*first, *actions]
    ways = [texts for one in list_of(item.get("altbranches")) if (texts := _texts(one))]
    if not story and not ways and not others:
        raise InvalidInput(NO_MESSAGES)
    speakers = _Speakers.of(object_of(item.get("savedsettings")), story)
    gathered = speakers.gathered
    is_dialogue = speakers.is_dialogue
    begin = (story or [*(way[0] for way in ways), *(text for _, text in others)])[0]
    prefix = PrefixTree(FORMAT)
    end = prefix.add(speakers.turns(story))
    for place, text in others:
        prefix.add(speakers.turns([*first, *actions[:place], text]))
    for way in ways:
        whole = way if way[:1] == first or not first else [*first, *way]
        prefix.add(speakers.turns(whole))
    links = linked(prefix.entries, prefix.above)
    # Before their names were read, such stories came in as buffers: a dialogue is another tree.
    named = () if speakers.sign in (None, _SIGN) else ("dialogue",)
    one = links.conversation(FORMAT, made_id(FORMAT, begin, *named), "", end)
    one.mode = "dialogue" if is_dialogue else "buffer"
    memory = item.get("memory")
    one.system_context = well_formed(memory) if isinstance(memory, str) and memory.strip() else None
    is_read = bool(actions or others) or not item.get("actions")
    is_list = isinstance(item.get("actions"), list)
    one.extra = kept(item, _PLACED if is_list else _PLACED - {"actions"})  # KoboldAI notes more of each text
    note = item.get("authorsnote")
    one.losses = told(
        None if is_read else sentence("what follows the first text is kept, not shown"),
        sentence("the author's note is kept, not sent") if isinstance(note, str) and note.strip() else None,
        sentence("the world info is kept, not sent") if item.get("worldinfo") else None,
    )
    gathered.hidden = sum(message.is_excluded for message in one.messages.values())
    gathered.put_into(one)
    if not is_dialogue:
        one.notes += (sentence("who wrote what is not in the file"),)
    yield one


def _actions(value: object) -> tuple[list[str], list[tuple[int, str]]]:
    """The texts of a story one after the other, and those that stood beside one, with the place of that.

    KoboldAI United keeps each text by its number, with its other choices; what is past its count was taken
    back and is one of those.
    """
    if not isinstance(value, dict):
        return _texts(value), []
    numbered = object_of(value.get("actions"))
    each = sorted((int(key), object_of(one)) for key, one in numbered.items() if _NUMBER.fullmatch(key))
    last = value.get("action_count")
    count = last + 1 if isinstance(last, int) and not isinstance(last, bool) else len(each)
    texts: list[str] = []
    others: list[tuple[int, str]] = []
    for number, one in each:
        said = one.get("Selected Text")
        choices = _texts([option.get("text") for option in objects_in(one.get("Options"))])
        if number < count and isinstance(said, str) and said:
            others += [(len(texts), text) for text in choices if text]
            texts.append(well_formed(said))
        else:
            others += [(len(texts), text) for text in (*_texts([said]), *choices) if text]
    return texts, others


def _alternatives(noted: Json, actions: Sequence[str]) -> list[tuple[int, str]]:
    """The other texts that KoboldAI notes of each text of a story, by its number, with their places."""
    others: list[tuple[int, str]] = []
    for key, one in noted.items():
        place = int(key) if _NUMBER.fullmatch(key) else len(actions)
        if place < len(actions):
            choices = _texts(
                [option.get("Text") for option in objects_in(object_of(one).get("Alternative Text"))]
            )
            others += [(place, text) for text in choices if text]
    return others


def _texts(value: object) -> list[str]:
    return [well_formed(text) for text in list_of(value) if isinstance(text, str)]


@dataclass(frozen=True, slots=True)
class _Speakers:
    """Speakers of a story: the signs that name them, and the author of each sign."""

    sign: re.Pattern[str] | None = None
    authors: Mapping[str, Author] = field(default_factory=dict)
    is_adventure: bool = False
    has_names: bool = False
    gathered: Gathered = field(default_factory=Gathered)

    @property
    def is_dialogue(self) -> bool:
        return self.sign is not None

    @classmethod
    def of(cls, settings: Json, story: Sequence[str]) -> _Speakers:
        """The speakers of a story: by signs in its texts, by the tags of its settings, or by names."""
        mode = settings.get("opmode")
        if any(map(_SIGN.search, story)):
            return cls(_SIGN, _SIGNS)
        if mode == _INSTRUCT:
            tags = {text_of(settings.get(name)).strip(): author for name, author in _TAGS.items()}
            authors = {tag: author for tag, author in tags.items() if tag}
            sign = re.compile("(" + "|".join(map(re.escape, authors)) + ")") if authors else None
        elif mode == _CHAT:
            yours = text_of(settings.get("chatname"), "User")
            others = text_of(settings.get("chatopponent"), "KoboldAI").split(_BETWEEN_NAMES)
            authors = {name: model_author(f"{FORMAT}:{name}", title_of(name)) for name in others if name}
            authors[yours] = YOU
            sign = re.compile(r"(?:\A|\n)\s*(" + "|".join(map(re.escape, authors)) + r"):(?=\s|\Z)")
        else:
            return cls(is_adventure=mode == _ADVENTURE)
        found = {authors[said] for text in story if sign is not None for said in sign.findall(text)}
        return cls(sign, authors, has_names=mode == _CHAT) if YOU in found and len(found) > 1 else cls()

    def turns(self, texts: Sequence[str]) -> Iterator[Turn]:
        """Yield the turns of a story, in each of its texts."""
        author = YOU
        for number, text in enumerate(texts):
            if self.sign is None:
                is_yours = not number or (self.is_adventure and _OF_PLAYER.match(text) is not None)
                yield self._turn(YOU if is_yours else MODEL, "", text)
                continue
            if number and not self.has_names:  # with names a text may go on with the one before it
                author = MODEL
            words, *signed = self.sign.split(text)
            speakers = [author, *(self._author(sign) for sign in signed[::2])]
            for speaker, said in zip(speakers, (words, *signed[1::2]), strict=True):
                author = speaker
                if said.strip():
                    yield self._turn(speaker, speaker.name, said.strip())

    def _author(self, sign: str) -> Author:
        return self.authors[sign.partition("]")[0].removesuffix("_END") if self.sign is _SIGN else sign]

    def _turn(self, author: Author, name: str, words: str) -> Turn:
        def message(_number: int) -> Message:
            return Message(author, self._content(words), is_excluded=author is SYSTEM)

        return Turn([(name, words)], 0, message)

    def _content(self, words: str) -> Content:
        if _PICTURE.search(words) is None:
            return Text(words)
        blocks: list[Block] = []
        parts = iter(["", "", *_PICTURE.split(words)])
        for kind, source, behind in zip(parts, parts, parts, strict=True):
            if kind:
                image = self.gathered.data_url(source, _IMAGE)
                blocks.append(image or self.gathered.placeholder(_IMAGE, "image/png"))
            if text := behind.strip() if self.is_dialogue else behind:
                blocks.append(Text(text))
        return content_of(blocks)


KOBOLD = JsonFormat("“gamestarted” with “actions”", is_story, read_story)
