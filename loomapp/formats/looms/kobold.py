"""Kobold Lite: a story with its other ways, each a full copy in the file; and stories of KoboldAI."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text, well_formed
from loomapp.core.sentences import sentence
from loomapp.formats.conversation import Author, Conversation, Message
from loomapp.formats.foreign_blocks import Gathered
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
from loomapp.formats.foreign_values import kept, list_of, made_id, object_of, objects_in
from loomapp.formats.links import PrefixTree, Turn, linked

FORMAT = "kobold"
YOU = Author(None, "You", "human")
MODEL = Author("kobold:model", "Model", "model")
SYSTEM = Author("kobold:system", "System", "model")
_SIGN = re.compile(
    r"\{\{\[(INPUT|OUTPUT|SYSTEM)(?:_END)?\]\}\}"
)  # of who speaks, where one instructs a model
_SPEAKS = {"INPUT": YOU, "OUTPUT": MODEL, "SYSTEM": SYSTEM}
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_PLACED = frozenset({"gamestarted", "prompt", "actions", "altbranches", "memory"})


def is_story(item: Json) -> bool:
    return "gamestarted" in item and (isinstance(item.get("actions"), list | dict) or "prompt" in item)


def read_story(item: Json) -> Iterator[Conversation]:
    """The story with its other ways. Raises: InvalidInput if there is nothing in it."""
    prompt = item.get("prompt")
    first = [well_formed(prompt)] if isinstance(prompt, str) and prompt else []
    actions, others = _actions(item.get("actions"))
    story = [*first, *actions]
    ways = [texts for one in list_of(item.get("altbranches")) if (texts := _texts(one))]
    if not story and not ways and not others:
        raise InvalidInput(NO_MESSAGES)
    is_dialogue = any(map(_SIGN.search, story))
    begin = (story or [*(way[0] for way in ways), *(text for _, text in others)])[0]
    prefix = PrefixTree(FORMAT)
    end = prefix.add(_turns(story, is_dialogue=is_dialogue))
    for place, text in others:
        prefix.add(_turns([*first, *actions[:place], text], is_dialogue=is_dialogue))
    for way in ways:
        whole = way if way[:1] == first or not first else [*first, *way]
        prefix.add(_turns(whole, is_dialogue=is_dialogue))
    links = linked(prefix.entries, prefix.above)
    one = links.conversation(FORMAT, made_id(FORMAT, begin), "", end)
    one.mode = "dialogue" if is_dialogue else "buffer"
    memory = item.get("memory")
    one.system_context = well_formed(memory) if isinstance(memory, str) and memory.strip() else None
    is_read = bool(actions or others) or not item.get("actions")
    is_list = isinstance(item.get("actions"), list)
    one.extra = kept(item, _PLACED if is_list else _PLACED - {"actions"})  # KoboldAI notes more of each text
    if not is_read:
        one.losses = (sentence("what follows the first text is kept, not shown"),)
    one.notes = Gathered(hidden=sum(m.is_excluded for m in one.messages.values())).notes()
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


def _texts(value: object) -> list[str]:
    return [well_formed(text) for text in list_of(value) if isinstance(text, str)]


def _turns(texts: Sequence[str], *, is_dialogue: bool) -> Iterator[Turn]:
    for number, text in enumerate(texts):
        author = MODEL if number else YOU
        for speaker, words in _spoken(text, author) if is_dialogue else [(author, text)]:
            message = Message(speaker, Text(words), is_excluded=speaker is SYSTEM)
            yield Turn([(speaker.name if is_dialogue else "", words)], 0, _made(message))


def _spoken(text: str, author: Author) -> Iterator[tuple[Author, str]]:
    """The turns of a text, from each sign of who speaks to the next; before the first `author` does."""
    words, *signed = _SIGN.split(text)
    speakers = [author, *(_SPEAKS[sign] for sign in signed[::2])]
    parts = zip(speakers, (words, *signed[1::2]), strict=True)
    return ((speaker, said.strip()) for speaker, said in parts if said.strip())


def _made(message: Message) -> Callable[[int], Message]:
    return lambda _number: message


KOBOLD = JsonFormat("“gamestarted” with “actions”", is_story, read_story)
