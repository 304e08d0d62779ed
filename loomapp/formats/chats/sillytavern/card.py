"""Character cards, as JSON or in a PNG: system context, greetings as siblings, example dialogue."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterator
from contextlib import suppress

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text, well_formed
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence
from loomapp.formats.conversation import Conversation, Message, model_author
from loomapp.formats.foreign_files import finding_of, findings_of, members_with
from loomapp.formats.foreign_json import read_object, samples
from loomapp.formats.foreign_values import kept, list_of, made_id, moment, object_of, text_of, title_of, told
from loomapp.formats.importer import Finding, Reading
from loomapp.formats.links import linked
from loomapp.formats.sources import Source, Stream

FORMAT = "character-card"
PNG = b"\x89PNG\r\n\x1a\n"
MOST_CARD_BYTES = 1 << 26
_KEYS = (b"ccv3", b"chara")  # the newer one first
_PLACED = frozenset(
    {
        *("name", "description", "personality", "scenario", "first_mes", "mes_example"),
        *("system_prompt", "alternate_greetings"),
    }
)
_EXAMPLES = "Example dialogue:"


def recognises(source: Source) -> Sentence | None:
    names = _members(source)
    if not names:
        return None
    if source.head(names[0]).text.startswith(PNG):
        return sentence("a PNG image with a character card in it")
    return sentence("a character with “first_mes”")


def _members(source: Source) -> list[str]:
    return members_with(source, _is_one)


def _is_one(source: Source, name: str) -> bool:
    if source.head(name).text.startswith(PNG):
        return any(source.remembered(f"card in {name}", lambda: (_has_card(source, name),)))
    return any(isinstance(item, dict) and is_card(item) for item in samples(source, name)[:1])


def is_card(item: Json) -> bool:
    """Tell whether an object is a card of version 1, 2 or 3."""
    if text_of(item.get("spec")).startswith("chara_card"):
        return isinstance(item.get("data"), dict)
    about = object_of(item.get("data")) or item
    return isinstance(about.get("name"), str) and isinstance(about.get("first_mes"), str)


def _has_card(source: Source, name: str) -> bool:
    try:
        return bool(_cards_in_png(source, name))
    except InvalidInput:
        return False


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The character of each card as a tree. Raises: InvalidInput."""
    names = _members(source) or list(source.names[:1])

    def card(name: str) -> Finding:
        is_png = source.head(name).text.startswith(PNG)
        item = _read_png(source, name) if is_png else read_object(source, name)
        return finding_of(_conversation(item, is_png=is_png), reading)

    yield from findings_of(source, names, card, progress)


def _read_png(source: Source, name: str) -> Json:
    cards = _cards_in_png(source, name)
    for key in _KEYS:
        with suppress(binascii.Error, ValueError, RecursionError):
            value = json.loads(base64.b64decode(cards.get(key, b""), validate=False).decode("utf-8"))
            if isinstance(value, dict):
                return value
    if cards:
        raise InvalidInput("the card in the image is damaged")
    raise InvalidInput("it is an image without a character card")


def _cards_in_png(source: Source, name: str) -> dict[bytes, bytes]:
    """The texts of cards in a PNG by their keyword."""
    found: dict[bytes, bytes] = {}
    with source.open(name) as file:
        file.read(len(PNG))
        while len(begin := file.read(8)) == 8:
            length, kind = int.from_bytes(begin[:4], "big"), begin[4:]
            if kind == b"IEND":
                break
            if kind in (b"tEXt", b"iTXt"):
                if length > MOST_CARD_BYTES:
                    raise InvalidInput("the card in the image is too large")
                keyword, _, text = file.read(length).partition(b"\0")
                if (keyword := keyword.lower()) in _KEYS:
                    found.setdefault(keyword, text if kind == b"tEXt" else _international(text))
            elif not _skip(file, length):
                break
            file.read(4)  # the sum
    return found


def _international(text: bytes) -> bytes:
    """The words of an iTXt chunk, behind what says how they are packed and in which language they are."""
    is_packed, words = text[:1] == b"\1", text[2:].split(b"\0", 2)[-1]
    if not is_packed:
        return words
    with suppress(zlib.error):
        return zlib.decompressobj().decompress(words, MOST_CARD_BYTES)
    return b""


def _skip(file: Stream, length: int) -> bool:
    while length > 0:
        data = file.read(min(length, 1 << 20))
        if not data:
            return False
        length -= len(data)
    return True


def _conversation(item: Json, *, is_png: bool) -> Conversation:
    about = object_of(item.get("data")) or item
    name = title_of(about.get("name"))
    first = about.get("first_mes")
    others = list_of(about.get("alternate_greetings"))
    greetings = [well_formed(g) for g in (first, *others) if isinstance(g, str) and g.strip()]
    system = _system_context(about)
    if not name or not (greetings or system):
        raise InvalidInput("it is no character card: it has no name or no words")
    author = model_author(f"{FORMAT}:{name}", name)
    at = moment(about.get("creation_date")) or moment(item.get("create_date"))
    messages: dict[str, Message | None] = {
        f"greeting-{number}": Message(author, Text(text), at) for number, text in enumerate(greetings, 1)
    }
    if not messages:
        messages["greeting-1"] = Message(author, Text(""), at)
    links = linked(messages, dict.fromkeys(messages))
    card_id = made_id(FORMAT, name, text_of(about.get("creator")))
    one = links.conversation(FORMAT, card_id, name, next(iter(messages)))
    one.system_context = system or None
    one.extra = kept(about, _PLACED)
    if about is not item:
        one.extra |= {"card": more} if (more := kept(item, (*_PLACED, "data"))) else {}
    after = text_of(about.get("post_history_instructions"))
    one.losses = told(
        sentence("the lorebook is kept, not used") if object_of(about.get("character_book")) else None,
        sentence("the instructions after the chat are kept, not sent") if after.strip() else None,
        sentence("greetings for groups are kept, not used") if about.get("group_only_greetings") else None,
        sentence("the picture stays in its file") if is_png else None,
    )
    return one


def _system_context(about: Json) -> str:
    """Return who the character is, in the order in which a prompt has it."""
    texts = [about.get(n) for n in ("system_prompt", "description", "personality", "scenario")]
    said = [well_formed(text) for text in texts if isinstance(text, str) and text.strip()]
    example = about.get("mes_example")
    if isinstance(example, str) and example.strip():
        said.append(f"{_EXAMPLES}\n{well_formed(example)}")
    return "\n\n".join(said)
