"""mikupad: sessions whose values are JSON within JSON, token by token; keys of access are dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text, well_formed
from loomapp.core.sentences import sentence
from loomapp.formats.conversation import Author, Conversation, Message, model_author
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
from loomapp.formats.foreign_values import (
    id_of,
    kept,
    list_of,
    made_id,
    object_of,
    objects_in,
    title_of,
    told,
)
from loomapp.formats.importer import Damaged
from loomapp.formats.links import in_a_row, linked

FORMAT = "mikupad"
YOU = Author(None, "You", "human")
KEY = "endpointAPIKey"
_PLACED = frozenset({"name", "prompt", KEY})
_CHUNKS = re.compile(r'\s*\[\s*\{\s*"(?:type|content|prob)"\s*:')  # how the text of a session begins


def is_session(item: Json) -> bool:
    """Tell whether an object is one session, or the whole database."""
    if isinstance(sessions := item.get("Sessions"), list):
        first = next(objects_in(sessions), {})  # what stands behind a long one is not known yet
        others = isinstance(item.get("Names"), list) or isinstance(item.get("Templates"), list)
        return others or {"key", "value"} <= first.keys()
    prompt = item.get("prompt")
    if isinstance(prompt, str) and _CHUNKS.match(prompt):
        return True
    has_endpoint = any(name.startswith("endpoint") for name in item)
    is_text = isinstance(prompt, str) and prompt.lstrip().startswith("[")
    return has_endpoint and (is_text or isinstance(prompt, list))


def read_sessions(item: Json) -> Iterator[Conversation | Damaged]:
    """The text of each session. Raises: InvalidInput if there is nothing in it."""
    if not isinstance(item.get("Sessions"), list):
        yield _session({name: _unpacked(value) for name, value in item.items()}, "")
        return
    names = {id_of(one.get("key")): title_of(one.get("value")) for one in objects_in(item.get("Names"))}
    for one in objects_in(item.get("Sessions")):
        key, value = id_of(one.get("key")), one.get("value")
        if not isinstance(value, dict):
            continue
        title = names.get(key, "")
        try:
            yield _session({name: _unpacked(inner) for name, inner in value.items()}, title, key)
        except InvalidInput as error:
            yield Damaged("", title, sentence(error.message))


def _unpacked(value: object) -> object:
    """The value of a text of JSON; what is none stays as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _session(session: Json, title: str, key: str = "") -> Conversation:
    model = title_of(session.get("endpointModel"))
    author = model_author(f"{FORMAT}:{model or 'model'}", model or "Model")
    messages: dict[str, Message | None] = {}
    for number, chunks in enumerate(_runs(session.get("prompt")), 1):
        said = (chunk.get("content") for chunk in chunks)
        text = well_formed("".join(str(one) for one in said if one is not None))
        is_yours = chunks[0].get("type") == "user"
        tokens = [] if is_yours else [kept(chunk) for chunk in chunks if len(chunk) > 1]
        keys: Json = {"tokens": tokens} if tokens else {}
        messages[f"run-{number}"] = Message(YOU if is_yours else author, Text(text), keys=keys)
    if not messages:
        raise InvalidInput(NO_MESSAGES)
    title = title or title_of(session.get("name"))
    links = linked(messages, in_a_row(messages))
    first = next(iter(list_of(session.get("prompt"))), None)
    session_id = made_id(FORMAT, key, title, object_of(first).get("content"))
    one = links.conversation(FORMAT, session_id, title, next(reversed(messages)))
    one.mode = "buffer"
    memory = object_of(_unpacked(session.get("memoryTokens"))).get("text")
    one.system_context = well_formed(memory) if isinstance(memory, str) and memory.strip() else None
    one.extra = kept(session, _PLACED)
    note, world = (object_of(_unpacked(session.get(name))) for name in ("authorNoteTokens", "worldInfo"))
    one.losses = told(
        sentence("the author's note is kept, not sent") if note.get("text") else None,
        sentence("the world info is kept, not sent") if world.get("entries") else None,
    )
    return one


def _runs(prompt: object) -> Iterator[list[Json]]:
    """The chunks of a text, neighbours of one author together."""
    run: list[Json] = []
    for chunk in _chunks(list_of(prompt)):
        if run and (run[0].get("type") == "user") != (chunk.get("type") == "user"):
            yield run
            run = []
        run.append(chunk)
    if run:
        yield run


def _chunks(prompt: Iterable[object]) -> Iterator[Json]:
    for chunk in prompt:
        if isinstance(chunk, dict):
            yield chunk
        elif isinstance(chunk, str):
            yield {"type": "user", "content": chunk}


MIKUPAD = JsonFormat("a “prompt” that is a text of JSON, with “endpoint”", is_session, read_sessions)
