"""exoloom: a tree with who wrote each node, and a lens with its bookmarks and pruned nodes."""

from __future__ import annotations

from collections.abc import Iterator

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text
from loomapp.formats.conversation import Author, Conversation, Message, model_author
from loomapp.formats.foreign_blocks import texts_of
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
from loomapp.formats.foreign_values import (
    id_of,
    kept,
    list_of,
    made_id,
    moment,
    object_of,
    objects_in,
    text_of,
    title_of,
)
from loomapp.formats.links import linked, named_parents

FORMAT = "exoloom"
YOU = Author(None, "You", "human")
_OF_TREE = frozenset({"title", "createdAt", "rootNodeId", "nodes"})
_OF_NODE = frozenset({"content", "authorType", "authorName", "parentId", "childrenIds", "createdAt"})


def is_loom(item: Json) -> bool:
    return item.get("loomType") == "Exoloom"


def read_loom(item: Json) -> Iterator[Conversation]:
    """The tree. Raises: InvalidInput if there is nothing in it."""
    tree = object_of(item.get("tree"))
    raw = {key: node for key, node in object_of(tree.pop("nodes", None)).items() if isinstance(node, dict)}
    if not raw:
        raise InvalidInput(NO_MESSAGES)
    lens = object_of(item.get("lens"))
    bookmarked, pruned = _marked(lens, "bookmarks"), _marked(lens, "prunedNodes")
    above = named_parents(raw, "parentId", "childrenIds")
    listed = {key: [id_of(child) for child in list_of(node.get("childrenIds"))] for key, node in raw.items()}
    first_text = texts_of(next(iter(raw.values())).get("content"))
    messages: dict[str, Message | None] = {
        key: _message(raw.pop(key), is_bookmarked=key in bookmarked, is_pruned=key in pruned)
        for key in tuple(raw)  # a large tree would be in memory twice
    }
    links = linked(messages, above, listed=listed, begins_empty=True)
    title = title_of(tree.get("title"))
    made_at = tree.get("createdAt")
    first = () if made_at else (first_text,)  # there are many untitled
    tree_id = id_of(tree.get("id")) or made_id(FORMAT, title, made_at, *first)
    one = links.conversation(FORMAT, tree_id, title, None)
    one.mode = "buffer"
    one.created_at = moment(tree.get("createdAt"))
    one.extra = kept(item, ("tree", "loomType"))
    if more := kept(tree, _OF_TREE):
        one.extra["tree"] = more
    yield one


def _marked(lens: Json, name: str) -> frozenset[str]:
    objects = (id_of(one.get("nodeId")) for one in objects_in(lens.get(name)))
    return frozenset((*objects, *(id_of(one) for one in list_of(lens.get(name)))))


def _message(node: Json, *, is_bookmarked: bool, is_pruned: bool) -> Message:
    name = title_of(node.get("authorName"))
    author = YOU
    if text_of(node.get("authorType")).upper() not in ("USER", "HUMAN"):
        author = model_author(f"{FORMAT}:{name or 'model'}", name or "Model")
    extra = kept(node, _OF_NODE)
    if author is YOU and name:
        extra["authorName"] = name
    return Message(
        author,
        Text(texts_of(node.get("content"))),
        moment(node.get("createdAt")),
        keys=extra,
        is_bookmarked=is_bookmarked,
        is_pruned=is_pruned,
    )


EXOLOOM = JsonFormat("“loomType” is “Exoloom”", is_loom, read_loom)
