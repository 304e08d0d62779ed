"""Kobold Lite: a story with its other ways, each of which is a full copy in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text, well_formed
from loomapp.core.sentences import sentence
from loomapp.formats.conversation import Author, Conversation, Message
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
from loomapp.formats.foreign_values import kept, list_of, made_id
from loomapp.formats.links import PrefixTree, Turn, linked

FORMAT = "kobold"
YOU = Author(None, "You", "human")
MODEL = Author("kobold:model", "Model", "model")
INPUT, OUTPUT = "{{[INPUT]}}", "{{[OUTPUT]}}"
_PLACED = frozenset({"gamestarted", "prompt", "actions", "altbranches", "memory"})


def is_story(item: Json) -> bool:
    return "gamestarted" in item and (isinstance(item.get("actions"), list) or "prompt" in item)


def read_story(item: Json) -> Iterator[Conversation]:
    """The story with its other ways. Raises: InvalidInput if there is nothing in it."""
    prompt = item.get("prompt")
    first = [well_formed(prompt)] if isinstance(prompt, str) and prompt else []
    story = [*first, *_texts(item.get("actions"))]
    ways = [texts for one in list_of(item.get("altbranches")) if (texts := _texts(one))]
    if not story and not ways:
        raise InvalidInput(NO_MESSAGES)
    prefix = PrefixTree(FORMAT)
    end = prefix.add(_turns(story))
    for way in ways:
        prefix.add(_turns(way if way[:1] == first or not first else [*first, *way]))
    links = linked(prefix.entries, prefix.above)
    one = links.conversation(FORMAT, made_id(FORMAT, (story or ways[0])[0]), "", end)
    one.mode = "buffer"
    memory = item.get("memory")
    one.system_context = well_formed(memory) if isinstance(memory, str) and memory.strip() else None
    is_read = isinstance(item.get("actions"), list) or not item.get("actions")
    one.extra = kept(item, _PLACED if is_read else _PLACED - {"actions"})
    if not is_read:
        one.losses = (sentence("what follows the first text is kept, not shown"),)
    if not any(sign in text for text in story for sign in (INPUT, OUTPUT)):
        one.notes = (sentence("who wrote what is not in the file"),)
    yield one


def _texts(value: object) -> list[str]:
    return [well_formed(text) for text in list_of(value) if isinstance(text, str)]


def _turns(texts: Sequence[str]) -> Iterator[Turn]:
    for number, text in enumerate(texts):
        yield Turn([("", text)], 0, _made(_message(text, is_first=number == 0)))


def _made(message: Message) -> Callable[[int], Message]:
    return lambda _number: message


def _message(text: str, *, is_first: bool) -> Message:
    is_yours = is_first or text.lstrip().startswith(INPUT)
    return Message(YOU if is_yours else MODEL, Text(text))


KOBOLD = JsonFormat("“gamestarted” with “actions”", is_story, read_story)
