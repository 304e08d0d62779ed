"""The loom of socketteer (pyloom): nested nodes with who wrote each, as deep as they go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text, well_formed
from loomapp.core.sentences import sentence
from loomapp.formats.conversation import Author, Conversation, Message, model_author, shown_id
from loomapp.formats.foreign_blocks import texts_of
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
from loomapp.formats.foreign_values import (
    counted,
    id_of,
    kept,
    list_of,
    made_id,
    moment,
    object_of,
    objects_in,
    text_of,
    title_of,
    told,
)
from loomapp.formats.links import linked

FORMAT = "pyloom"
YOU = Author(None, "You", "human")
MODEL = model_author("pyloom:model", "Model")
BOOKMARK = "bookmark"
PLACEHOLDER = "** Generating **"
_PLACED = frozenset({"root", "selected_node_id", "text", "children", "id", "parent_id", "parentId"})
_OF_NODE = frozenset({"id", "parent_id", "parentId", "text", "children", "masked_head", "tail_id"})


def is_loom(item: Json) -> bool:
    """Tell whether an object is a whole loom, its root alone, or a simple export."""
    root = item.get("root")
    if isinstance(root, dict):
        says = isinstance(root.get("text"), str) or isinstance(root.get("children"), list)
        return "nodes" not in item and says
    return isinstance(item.get("text"), str) and isinstance(item.get("children"), list)


def read_loom(item: Json) -> Iterator[Conversation]:
    """The tree. Raises: InvalidInput if there is nothing in it."""
    root = item.get("root")
    is_whole = isinstance(root, dict)
    first = object_of(root) if is_whole else item
    if "text" not in first and not list_of(first.get("children")):
        raise InvalidInput(NO_MESSAGES)
    about = item if is_whole else {}
    nodes = _Nodes()
    nodes.take(first)
    models = _models(about)
    entries: dict[str, Message | None] = {
        key: _message(node, models) if key not in nodes.placeholders else None
        for key, node in nodes.raw.items()
    }
    links = linked(entries, nodes.above, begins_empty=True)
    tree_id = id_of(first.get("id"))
    named = shown_id(f"{FORMAT}-{tree_id}") if tree_id else made_id(FORMAT, *_firsts(nodes))
    one = links.conversation(FORMAT, named, "", id_of(about.get("selected_node_id")) or None)
    one.mode = "buffer"
    context = object_of(about.get("generation_settings")).get("global_context")
    one.system_context = context if isinstance(context, str) and context.strip() else None
    one.extra = kept(about, _PLACED)
    one.tags = _tags(nodes.raw, links.names)
    appended = sum(1 for node in nodes.raw.values() if _appends(node))
    one.losses = told(
        counted(
            appended,
            "1 text that is shown only at its node is kept",
            "{count} texts shown only at their nodes are kept",
        ),
        counted(
            sum(1 for node in nodes.raw.values() for note in list_of(node.get("notes")) if note),
            "1 note at a node is kept, not shown",
            "{count} notes at nodes are kept, not shown",
        ),
        counted(
            sum(1 for node in nodes.raw.values() for _ in objects_in(node.get("multimedia"))),
            "1 picture at a node is not in the file",
            "{count} pictures at nodes are not in the file",
        ),
    )
    if not is_whole and "id" not in first:
        one.notes = (sentence("who wrote what is not in the file"),)
    yield one


def _appends(node: Json) -> bool:
    return bool(text_of(object_of(node.get("text_attributes")).get("active_append")))


def _firsts(nodes: _Nodes) -> list[str]:
    texts = (text_of(node.get("text")) for node in nodes.raw.values())
    return [text for text in texts if text][:1]


@dataclass(slots=True)
class _Nodes:
    """Nested nodes made flat: each by its id, with the one it hangs on. `placeholders` are no nodes."""

    raw: dict[str, Json] = field(default_factory=dict)
    above: dict[str, str | None] = field(default_factory=dict)
    placeholders: set[str] = field(default_factory=set)

    def take(self, root: Json) -> None:
        """Take a node with all that is nested in it, parents first, siblings in order."""
        waiting: list[tuple[str | None, Iterator[Json]]] = [(None, iter([root]))]
        tails: dict[str, list[Json]] = {}  # what follows the last node of a chain that was zipped
        while waiting:
            outer, rest = waiting[-1]
            node = next(rest, None)
            if node is None:
                waiting.pop()
                continue
            children = list(objects_in(node.get("children")))
            head = node.get("masked_head")
            if isinstance(head, dict):
                tail = id_of(node.get("tail_id"))
                if tail and _is_in(head, tail):
                    tails.setdefault(tail, []).extend(children)
                else:
                    head = {**head, "children": [*objects_in(head.get("children")), *children]}
                waiting.append((outer, iter([head])))
                continue
            key = self._put(node, outer)
            if key is None:
                continue
            children += tails.pop(id_of(node.get("id")), [])
            waiting.append((key, iter(children)))

    def _put(self, node: Json, outer: str | None) -> str | None:
        named = id_of(node.get("id"))
        key = named
        if not named or named in self.raw:
            key = made_id("node", outer, text_of(node.get("text")))
            while key in self.raw:
                key += "-"
        if (
            named in self.raw
            and self.raw[named].get("text") == node.get("text")
            and self.above[named] == outer
        ):
            return None
        self.raw[key], self.above[key] = node, outer
        if node.get("text") == PLACEHOLDER:
            self.placeholders.add(key)
        return key


def _is_in(head: Json, tail: str) -> bool:
    waiting = [head]
    while waiting:
        node = waiting.pop()
        if id_of(node.get("id")) == tail:
            return True
        waiting += objects_in(node.get("children"))
    return False


def _models(about: Json) -> Mapping[str, str]:
    """The names of models by the id of their response."""
    responses = object_of(about.get("model_responses"))
    return {key: title_of(object_of(value).get("model")) for key, value in responses.items()}


def _message(node: Json, models: Mapping[str, str]) -> Message:
    meta = object_of(node.get("meta"))
    extra = kept(node, _OF_NODE)
    return Message(
        _author(node, meta, models),
        Text(texts_of(node.get("text"))),
        moment(meta.get("creation_timestamp")),
        keys=extra,
        is_bookmarked=node.get(BOOKMARK) is True or BOOKMARK in list_of(node.get("tags")),
    )


def _author(node: Json, meta: Json, models: Mapping[str, str]) -> Author:
    """Return who wrote a node: what a model wrote and somebody edited by hand is that person's."""
    old = object_of(meta.get("generation"))
    generation = object_of(node.get("generation"))
    source = text_of(meta.get("source")).lower()
    if source in ("prompt", "mixed") or (source != "ai" and not generation and not old):
        return YOU
    name = models.get(id_of(generation.get("id")), "") or title_of(old.get("model"))
    return model_author(f"{FORMAT}:{name}", name) if name else MODEL


def _tags(raw: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for key, node in raw.items():
        for tag in dict.fromkeys(list_of(node.get("tags"))) if _are_texts(node.get("tags")) else ():
            name = title_of(tag)
            if name and name != BOOKMARK and key in names:
                found.setdefault(well_formed(name), []).append(names[key])
    return {name: tuple(dict.fromkeys(keys)) for name, keys in found.items()}


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


PYLOOM = JsonFormat("nested nodes with “text” and “children”", is_loom, read_loom)
