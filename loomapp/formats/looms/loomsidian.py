"""loomsidian: the loom of one note, or those of a whole vault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text, well_formed
from loomapp.core.sentences import sentence
from loomapp.formats.conversation import Author, Conversation, Message, model_author
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
from loomapp.formats.foreign_values import (
    RENAMED,
    counted,
    id_of,
    kept,
    object_of,
    objects_in,
    text_of,
    title_of,
    told,
)
from loomapp.formats.importer import Damaged
from loomapp.formats.lenient_json import with_own_ids
from loomapp.formats.links import linked

FORMAT = "loomsidian"
YOU = Author(None, "You", "human")
NOBODY = frozenset({"", "genesis", "N/A"})  # in place of a model
_OF_NODE = frozenset({"id", "text", "value", "parentId", "bookmarked", "author"})


def is_loom(item: Json) -> bool:
    """Tell whether an object is the state of a note, or of a vault."""
    if _is_state(item):
        return True
    state = item.get("state")
    return (
        isinstance(state, dict)
        and bool(state)
        and any(isinstance(one, dict) and _is_state(one) for one in state.values())
    )


def _is_state(item: Json) -> bool:
    if "current" not in item or "focused_node_id" in item:
        return False
    nodes = item.get("nodes")
    found = [*nodes.values()] if isinstance(nodes, dict) else nodes
    if not isinstance(found, list):
        return False
    return not found or any(isinstance(node, dict) and ("text" in node or "value" in node) for node in found)


def read_looms(item: Json) -> Iterator[Conversation | Damaged]:
    """The loom of a note, or of each note. Raises: InvalidInput if there is nothing in it."""
    state = item.get("state")
    if "nodes" in item or not isinstance(state, dict):
        yield _loom(item, "")
        return
    for path, note in state.items():
        title = title_of(PurePosixPath(path).stem)
        try:
            one = _loom(object_of(note), title)
            one.extra["note"] = well_formed(path)
            yield one
        except InvalidInput as error:
            yield Damaged("", title, sentence(error.message))


def _loom(state: Json, title: str) -> Conversation:
    raw: dict[str, Json] = {}
    renamed = 0
    nodes = state.pop("nodes", None)
    if isinstance(nodes, dict):
        raw = {key: node for key, node in nodes.items() if isinstance(node, dict)}
    else:
        each = enumerate(objects_in(nodes), 1)
        raw, renamed = with_own_ids((id_of(node.get("id")) or f"node-{n}", node) for n, node in each)
    if not raw:
        raise InvalidInput(NO_MESSAGES)
    above = {key: id_of(node.get("parentId")) or None for key, node in raw.items()}
    first = next(iter(raw))
    del nodes  # a large tree would be in memory twice
    messages: dict[str, Message | None] = {key: _message(raw.pop(key)) for key in tuple(raw)}
    links = linked(messages, above, begins_empty=True)
    one = links.conversation(FORMAT, f"{FORMAT}-{first}", title, id_of(state.get("current")) or None)
    one.mode = "buffer"
    one.extra = kept(state, ("nodes", "current"))
    if all(message is not None and message.author.id is None for message in messages.values()):
        one.notes = (sentence("who wrote what is not in the file"),)
    one.notes += told(counted(renamed, *RENAMED))
    return one


def _message(node: Json) -> Message:
    said = text_of(node.get("text")) or text_of(node.get("value"))
    author = title_of(node.get("author"))
    extra = kept(node, _OF_NODE)
    return Message(
        YOU if author in NOBODY else model_author(f"{FORMAT}:{author}", author),
        Text(well_formed(said).replace("\\<", "<").replace("\\[", "[")),
        keys=extra,
        is_bookmarked=node.get("bookmarked") is True,
    )


LOOMSIDIAN = JsonFormat("“nodes” with “current”", is_loom, read_looms)
