"""Tapestry Loom: `.tapestry` files, whose texts are bytes that may break off within a character."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Iterator, Mapping

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text
from loomapp.core.model.local_ids import CROCKFORD
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.formats.conversation import Author, Conversation, Message, parents_first, sound_parents
from loomapp.formats.foreign_files import NO_MESSAGES, finding_of, members_with
from loomapp.formats.foreign_values import LAST_MOMENT_MS, kept, title_of
from loomapp.formats.importer import Damaged, Finding, Reading
from loomapp.formats.links import linked
from loomapp.formats.looms.tapestry_archive import MAGIC, Token, Weave, WovenNode, read_weave
from loomapp.formats.sources import Source
from loomapp.regular_files import MOST_TREE_BYTES

FORMAT = "tapestry"
YOU = Author(None, "You", "human")
WHY = "it begins with “VersionedTapestryWeave”"
_TIME_BITS = 80  # of a ULID, below its time


def recognises(source: Source) -> Sentence | None:
    """See `Importer`."""
    return sentence(WHY) if _members(source) else None


def _members(source: Source) -> list[str]:
    return members_with(source, lambda one, name: one.head(name).text.startswith(MAGIC))


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The weave of each file. Raises: InvalidInput."""
    names = _members(source) or list(source.names[:1])
    done, size = 0, sum(map(source.member_size, names))
    for name in names:
        try:
            yield finding_of(_conversation(_weave(source, name)), reading)
        except InvalidInput as error:
            if len(names) == 1:
                raise
            yield Damaged("", name, sentence(error.message))
        done += source.member_size(name)
        progress(done, size)


def _weave(source: Source, name: str) -> Weave:
    if source.member_size(name) > MOST_TREE_BYTES:
        raise InvalidInput(
            worded("“{name}” is larger than {most} MiB", name=name, most=MOST_TREE_BYTES >> 20)
        )
    with source.open(name) as file:
        return read_weave(file.read(MOST_TREE_BYTES))


def ulid(number: int) -> str:
    """The text of an id."""
    return "".join(CROCKFORD[(number >> (5 * place)) & 31] for place in range(25, -1, -1))


def _conversation(weave: Weave) -> Conversation:
    if not weave.nodes:
        raise InvalidInput(NO_MESSAGES)
    order = _order(weave)
    above = {ulid(key): ulid(p) if (p := weave.nodes[key].parent) is not None else None for key in order}
    listed = {ulid(key): list(map(ulid, weave.nodes[key].children)) for key in order}
    texts = _texts(weave)
    bookmarks = frozenset(weave.bookmarks)
    messages: dict[str, Message | None] = {
        ulid(key): _message(weave.nodes[key], texts[key], is_bookmarked=key in bookmarks) for key in order
    }
    links = linked(messages, above, listed=listed)
    first = weave.roots[0] if weave.roots else order[0]
    active = ulid(weave.active) if weave.active is not None else None
    one = links.conversation(FORMAT, f"{FORMAT}-{ulid(first)}", title_of(weave.about.get("title")), active)
    one.mode = "buffer"
    one.extra = kept(weave.about, ("title",))
    return one


def _order(weave: Weave) -> list[int]:
    """The nodes, each after its parent, roots and children in the order of the archive."""
    named = [key for key in weave.roots if key in weave.nodes]
    keys = dict.fromkeys([*named, *sorted(weave.nodes)])
    sound = _sound(weave, keys)
    return [
        int(key)
        for key in parents_first(sound, {str(k): list(map(str, n.children)) for k, n in weave.nodes.items()})
    ]


def _sound(weave: Weave, keys: Mapping[int, None]) -> dict[str, str | None]:
    parents = {key: weave.nodes[key].parent for key in keys}
    return sound_parents({str(key): None if p is None else str(p) for key, p in parents.items()})


def _texts(weave: Weave) -> dict[int, str]:
    """The texts by node. A character that breaks off stands where its last byte does."""
    sound = _sound(weave, dict.fromkeys(weave.nodes))
    continued = {parent for parent in sound.values() if parent is not None}
    left: dict[str, bytes] = {}
    found: dict[int, str] = {}
    for key in parents_first(sound):
        above = sound[key]
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        before = left.get(above, b"") if above is not None else b""
        is_last = key not in continued
        found[int(key)] = decoder.decode(before + weave.nodes[int(key)].text, final=is_last)
        if not is_last and (rest := decoder.getstate()[0]):
            left[key] = rest
    return found


def _message(node: WovenNode, text: str, *, is_bookmarked: bool) -> Message:
    extra: Json = kept(node.about)
    if node.tokens is not None:
        extra["tokens"] = list(map(_token, node.tokens))
    if more := kept(node.about_model):
        extra["model"] = more
    label = title_of(node.model)
    at = node.id >> _TIME_BITS
    return Message(
        Author(f"{FORMAT}:{label}", label or "Model", "model") if node.model is not None else YOU,
        Text(text),
        at if 0 < at <= LAST_MOMENT_MS else None,
        extra={FORMAT: extra} if extra else {},
        is_bookmarked=is_bookmarked or node.is_bookmarked,
    )


def _token(token: Token) -> Json:
    """A token with what is known of it: its text, or where it is no whole text its bytes."""
    try:
        said: Json = {"text": token.text.decode()}
    except UnicodeDecodeError:
        said = {"base64": base64.b64encode(token.text).decode()}
    return {**said, **kept(token.about)}
