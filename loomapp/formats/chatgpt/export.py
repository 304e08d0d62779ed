"""The conversations of a ChatGPT export, whole or in parts, each with all of its branches."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import cast

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.core.times import Milliseconds
from loomapp.formats.chatgpt.assets import Assets, ExportMedia
from loomapp.formats.chatgpt.message import (
    FORMAT,
    MEMORY,
    Counts,
    MessageReader,
    custom_instructions,
    is_hidden,
    kind_of,
    moment,
    role_of,
    without_nothing,
)
from loomapp.formats.conversation import (
    Conversation,
    Message,
    nearest,
    parents_first,
    shown_id,
    sound_parents,
    tree_of,
)
from loomapp.formats.foreign_files import (
    is_list,
    is_several,
    items_of,
    no_conversation,
    sampled,
    with_remedy,
)
from loomapp.formats.foreign_json import read_object
from loomapp.formats.importer import Damaged, Facts, Finding, Found, Imported, Reading
from loomapp.formats.json_text import MAX_DEPTH, check_depth
from loomapp.formats.lenient_json import read_list
from loomapp.formats.links import named_parents, newest_leaf
from loomapp.formats.sources import Source

WHY = "a list of conversations with “mapping”"
_PAGE = b"var jsonData = ["  # in the page of an export that shows all chats
THOUGHTS = frozenset({"thoughts", "reasoning_recap"})
SYSTEM_CONTEXT = "user_editable_context"
_NO_GROUPS = (b"", b"[]", b"{}", b"null", b'{"chats":[]}')
_DIGITS = re.compile(r"(\d+)")
_PLACED = frozenset(
    {"id", "conversation_id", "title", "create_time", "update_time", "mapping", "current_node"}
)


def recognises(source: Source) -> Sentence | None:
    """See `Importer`: the name of a member says nothing, its first items do."""
    return sentence(WHY) if parts_of(source) else None


def parts_of(source: Source) -> list[str]:
    """The members that hold conversations, in the order of their numbers; where there are none, the page that
    shows them all.
    """
    names = source.names if source.is_single else [n for n in source.names if n.lower().endswith(".json")]
    found = [name for name in names if any("mapping" in item for item in sampled(source, name))]
    found = found or [name for name in source.names if _is_page(source, name)]
    return sorted(found, key=lambda name: [int(p) if p.isdecimal() else p for p in _DIGITS.split(name)])


def _is_page(source: Source, name: str) -> bool:
    if not (source.is_single or name.lower().endswith(".html")):
        return False
    _, sign, behind = source.head(name).text.partition(_PAGE)
    return bool(sign) and b'"mapping"' in behind


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The conversations of all parts. Raises: InvalidInput, naming the part and the item."""
    names = parts_of(source) or source.names[:1]
    assets = Assets(source)
    done, size = 0, sum(map(source.member_size, names))
    for name in names:
        for at, place, item in _items(source, name):
            progress(done + at, size)
            yield _found(item, place, assets, reading)
        done += source.member_size(name)
        progress(done, size)
    if not source.is_single and any("textdocs" in PurePosixPath(name).parts[:-1] for name in source.names):
        told = "documents of the canvas are known and not read; their texts stand in the chats that made them"
        yield Damaged("", "textdocs", sentence(told), is_beside=True)
    for name in () if source.is_single else source.names:
        is_beside = PurePosixPath(name).name == "group_chats.json"
        if is_beside and b"".join(source.head(name).text.split()) not in _NO_GROUPS:
            yield Damaged("", name, sentence("group chats are known and not read"), is_beside=True)


def _items(source: Source, name: str) -> Iterator[tuple[int, str, object]]:
    if is_list(source, name) or is_several(source, name):
        yield from items_of(source, name)
    elif _is_page(source, name):
        with source.open(name) as file:
            passed = source.head(name).text.index(_PAGE) + len(_PAGE) - 1
            file.read(passed)
            try:
                for number, item in enumerate(read_list(file, is_all=False)):
                    yield file.tell(), f"{name}[{number}]", item
            except InvalidInput as error:
                raise with_remedy(name, error) from error
    else:
        value = read_object(source, name)
        if "mapping" not in value:
            raise InvalidInput("it is no conversation of ChatGPT, and no list of them")
        yield 0, name, value


def _found(item: object, place: str, assets: Assets, reading: Reading) -> Finding:
    if not isinstance(item, dict):
        return no_conversation(item, place)
    title = item["title"] if isinstance(item.get("title"), str) else ""
    conversation_id = _id_of(item)
    mapping = item.get("mapping")
    nodes = {k: v for k, v in mapping.items() if isinstance(v, dict)} if isinstance(mapping, dict) else {}
    if not any(isinstance(node.get("message"), dict) for node in nodes.values()):
        last_at = moment(item.get("update_time")) or moment(item.get("create_time"))
        return Damaged(conversation_id, title, sentence("damaged: no messages found"), last_at)
    told = _Told(item, conversation_id, title, nodes, assets)

    def load(owner: Agent | None) -> Imported:
        return _loaded(told.conversation, assets, reading.now, owner)

    return Found(conversation_id, title, lambda: told.facts, load)


class _Told:
    """A conversation, read when somebody asks for it."""

    def __init__(
        self, item: Json, conversation_id: str, title: str, nodes: Mapping[str, Json], assets: Assets
    ) -> None:
        self._item, self._id, self._title, self._nodes = item, conversation_id, title, nodes
        slug = item.get("default_model_slug")
        self._reader = MessageReader(assets, slug if isinstance(slug, str) else "")

    @cached_property
    def conversation(self) -> Conversation:
        return _Mapping(self._nodes, self._reader).conversation(self._item, self._id, self._title)

    @property
    def facts(self) -> Facts:
        """Return the facts of this conversation: its size, models, losses."""
        conversation = self.conversation
        conversation.losses, conversation.notes = _told(self._reader.counts)
        return conversation.facts()


def _loaded(conversation: Conversation, assets: Assets, now: Milliseconds, owner: Agent | None) -> Imported:
    found: dict[str, str] = {}
    for message in conversation.messages.values():
        message.content = assets.filled(message.content, found)
        check_depth(message.keys, MAX_DEPTH - 11)
    imported = tree_of(conversation, now, owner)
    return replace(imported, media=ExportMedia(assets, found))


def _id_of(item: Json) -> str:
    for name in ("conversation_id", "id"):
        value = item.get(name)
        if isinstance(value, str) and value:
            return shown_id(value)
    told = json.dumps([item.get("title"), item.get("create_time")], default=str)
    return f"{FORMAT}-" + hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _Mapping:
    """The nodes of one conversation, by id, on the way to its messages."""

    def __init__(self, nodes: Mapping[str, Json], reader: MessageReader) -> None:
        self._nodes, self._reader = nodes, reader
        self._messages = {
            k: cast(Json, n["message"]) for k, n in nodes.items() if isinstance(n.get("message"), dict)
        }
        self._parents = sound_parents(named_parents(nodes, "parent", "children"))
        self._thoughts = self._folded_thoughts()
        self._dropped: Json = {}

    def conversation(self, item: Json, conversation_id: str, title: str) -> Conversation:
        spoken = (k for k in self._in_order() if k in self._messages and k not in self._thoughts)
        kept = {key: None for key in spoken if not self._is_blank(key)}
        parents = nearest(self._parents, kept)
        reasoning = self._reasoning(kept)
        names = {key: shown_id(key) for key in self._nodes}
        messages = {names[key]: self._message(key, parents[key], reasoning.get(key)) for key in kept}
        above = {names[key]: names[it] if it is not None else None for key, it in parents.items()}
        root = next((k for k in self._nodes if k not in self._messages and self._parents[k] is None), None)
        extra = {key: value for key, value in item.items() if key not in _PLACED and value is not None}
        if item.get("id") not in (None, conversation_id):
            extra["id"] = item["id"]
        if self._dropped:
            extra["hidden"] = self._dropped
        return Conversation(
            FORMAT,
            conversation_id,
            title,
            messages,
            above,
            names[root] if root is not None else _free("root", messages),
            names.get(self._current(item, kept) or "") or newest_leaf(messages, above),
            self._system_context(),
            moment(item.get("create_time")),
            moment(item.get("update_time")),
            extra,
        )

    def _message(self, key: str, above: str | None, reasoning: str | None) -> Message:
        message = self._reader.read(self._messages[key], self._nodes[key], above or "")
        message.reasoning = reasoning or ""
        if folded := self._folded_into(key):
            message.keys = {**message.keys, "thoughts": folded}
        return message

    def _folded_into(self, key: str) -> list[Json]:
        """The thoughts before an answer as they were, the oldest first."""
        found: list[Json] = []
        above = self._parents[key]
        while above is not None and above in self._thoughts:
            found.append(without_nothing(self._messages[above]))
            above = self._parents[above]
        return found[::-1]

    def _is_blank(self, key: str) -> bool:
        """True for what is hidden and says nothing: a node of it would only be in the way."""
        message = self._messages[key]
        kind = kind_of(message)
        if not is_hidden(message) or kind not in ("text", MEMORY):
            return False
        content = message.get("content")
        parts = content.get("parts") if isinstance(content, dict) else content
        if kind == MEMORY and isinstance(content, dict):
            parts = [part for key, part in content.items() if key != "content_type"]
        texts = [parts] if isinstance(parts, str) else parts
        if texts is not None and (not isinstance(texts, list) or any(texts)):
            return False
        metadata = message.get("metadata")
        if isinstance(metadata, dict) and metadata.get("attachments"):
            return False
        self._dropped[key] = without_nothing(message)
        return True

    # Thoughts

    def _folded_thoughts(self) -> set[str]:
        """The thoughts that an answer follows: they are its reasoning, and no node by themselves."""
        thinking = {k for k, m in self._messages.items() if kind_of(m) in THOUGHTS}
        if not thinking:
            return thinking
        followers: dict[str, list[str]] = {}
        for key, above in self._parents.items():
            if above is not None and above in thinking:
                followers.setdefault(above, []).append(key)
        stays = {
            key
            for key in thinking
            if key not in followers
            or any(after not in thinking and not self._is_answer(after) for after in followers[key])
        }
        # One that only leads to thoughts that stay has no answer to go to either.
        climbing = list(stays)
        for key in climbing:
            above = self._parents[key]
            if above is not None and above in thinking and above not in stays:
                stays.add(above)
                climbing.append(above)
        return thinking - stays

    def _is_answer(self, key: str) -> bool:
        return key in self._messages and role_of(self._messages[key]) == "assistant"

    def _reasoning(self, kept: Mapping[str, None]) -> dict[str, str]:
        """The reasoning of a message: its own, and that of the thoughts folded into it, oldest first."""
        found: dict[str, str] = {}
        for key in kept:
            texts: list[str] = []
            at: str | None = key
            while at is not None and (at == key or at in self._thoughts):
                if at in self._messages and kind_of(self._messages[at]) in THOUGHTS:
                    texts.append(thought_text(self._messages[at]))
                    self._reader.counts.thoughts += 1
                at = self._parents[at]
            told = "\n\n".join(text for text in reversed(texts) if text)
            if told:
                found[key] = told
        return found

    # What else a conversation says

    def _in_order(self) -> list[str]:
        """The nodes, each after its parent, siblings as their parent lists them."""
        listed: dict[str, list[str]] = {}
        for key, node in self._nodes.items():
            children = node.get("children")
            if isinstance(children, list) and len(children) > 1:
                listed[key] = [child for child in children if isinstance(child, str)]
        return parents_first(self._parents, listed)

    def _current(self, item: Json, kept: Mapping[str, None]) -> str | None:
        """The message that was read last: the current node, or the nearest one above it."""
        at = item.get("current_node")
        while isinstance(at, str) and at in self._parents and at not in kept:
            at = self._parents[at]
        return at if isinstance(at, str) and at in kept else None

    def _system_context(self) -> str | None:
        instructions = (
            custom_instructions(m) for m in self._messages.values() if kind_of(m) == SYSTEM_CONTEXT
        )
        return next(filter(None, instructions), None)


def thought_text(message: Json) -> str:
    """The words of thoughts, each with its summary in front."""
    content = cast(Json, message.get("content"))
    thoughts = content.get("thoughts")
    texts: list[str] = []
    for thought in thoughts if isinstance(thoughts, list) else ():
        if isinstance(thought, dict):
            parts = (thought.get(name) for name in ("summary", "content"))
            texts.append("\n".join(part for part in parts if isinstance(part, str) and part))
        elif isinstance(thought, str):
            texts.append(thought)
    recap = content.get("content")
    if isinstance(recap, str):
        texts.append(recap)
    return "\n\n".join(filter(None, texts))


def _free(name: str, taken: Mapping[str, object]) -> str:
    return name if name not in taken else _free(f"{name}-", taken)


def _told(counts: Counts) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    losses = [
        _counted(counts.missing_images, "1 image is not in the file", "{count} images are not in the file"),
        _counted(
            counts.missing_files,
            "1 attached file is not in the file",
            "{count} attached files are not in the file",
        ),
        _counted(
            counts.sounds, "1 sound part is kept, not played", "{count} sound parts are kept, not played"
        ),
        _counted(counts.citations, "citations stay as text", "citations stay as text"),
        *(
            worded("{count} × “{kind}” is kept, not shown", count=count, kind=kind)
            for kind, count in counts.unknown.items()
        ),
    ]
    notes = [
        _counted(counts.hidden, "1 hidden message → excluded", "{count} hidden messages → excluded"),
        _counted(counts.system, "1 system message → excluded", "{count} system messages → excluded"),
    ]
    return tuple(filter(None, losses)), tuple(filter(None, notes))


def _counted(count: int, one: str, several: str) -> Sentence | None:
    if not count:
        return None
    return sentence(one) if count == 1 else worded(several, count=count)
