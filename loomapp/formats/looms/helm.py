"""Helm: `tree.json`, nodes by parent with bookmarks."""

from __future__ import annotations

from collections.abc import Iterator

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text
from loomapp.core.sentences import sentence
from loomapp.formats.conversation import Author, Conversation, Message
from loomapp.formats.foreign_blocks import texts_of
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
from loomapp.formats.foreign_values import (
    RENAMED,
    counted,
    id_of,
    kept,
    list_of,
    made_id,
    moment,
    objects_in,
    title_of,
    told,
)
from loomapp.formats.lenient_json import with_own_ids
from loomapp.formats.links import linked, named_parents

FORMAT = "helm"
YOU = Author(None, "You", "human")
_PLACED = frozenset({"id", "name", "rootId", "currentNodeId", "bookmarkedNodeIds", "nodes"})
_OF_NODE = frozenset({"id", "text", "parentId", "childIds", "createdAt"})


def is_loom(item: Json) -> bool:
    return isinstance(item.get("nodes"), list) and "rootId" in item and "currentNodeId" in item


def read_loom(item: Json) -> Iterator[Conversation]:
    """The tree. Raises: InvalidInput if there is nothing in it."""
    bookmarked = frozenset(map(id_of, list_of(item.get("bookmarkedNodeIds"))))
    messages: dict[str, Message | None] = {}
    listed: dict[str, list[str]] = {}
    nodes = enumerate(objects_in(item.pop("nodes", None)), 1)
    raw, renamed = with_own_ids((id_of(node.get("id")) or f"node-{n}", node) for n, node in nodes)
    above = named_parents(raw, "parentId", "childIds")
    for key in tuple(raw):
        node = raw.pop(key)  # a large tree would be in memory twice
        extra = kept(node, _OF_NODE)
        messages[key] = Message(
            YOU,
            Text(texts_of(node.get("text"))),
            moment(node.get("createdAt")),
            keys=extra,
            is_bookmarked=key in bookmarked,
        )
        listed[key] = [id_of(child) for child in list_of(node.get("childIds"))]
    if not messages:
        raise InvalidInput(NO_MESSAGES)
    links = linked(messages, above, listed=listed, begins_empty=True)
    tree_id = id_of(item.get("id")) or made_id(FORMAT, next(iter(messages)))
    one = links.conversation(
        FORMAT, tree_id, title_of(item.get("name")), id_of(item.get("currentNodeId")) or None
    )
    one.mode = "buffer"
    one.extra = kept(item, _PLACED)
    one.notes = (sentence("who wrote what is not in the file"), *told(counted(renamed, *RENAMED)))
    yield one


HELM = JsonFormat("a list of “nodes” with “rootId” and “currentNodeId”", is_loom, read_loom)
