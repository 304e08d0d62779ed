"""MiniLoom: each node holds a patch to the text before it, which is replayed from the root."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text, well_formed
from loomapp.core.sentences import worded
from loomapp.formats.conversation import (
    Author,
    Conversation,
    Message,
    model_author,
    parents_first,
    sound_parents,
)
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
from loomapp.formats.links import linked, named_parents

FORMAT = "miniloom"
YOU = Author(None, "You", "human")
MOST_TEXT = 64_000_000  # characters of all nodes: a patch near the beginning repeats all that follows
UNIT_BYTES = 2  # of UTF-16, in which the positions of patches count
DELETED, INSERTED = -1, 1
_OF_NODE = frozenset({"id", "parent", "patch", "timestamp", "children", "model", "type"})


def is_loom(item: Json) -> bool:
    return isinstance(object_of(item.get("loomTree")).get("nodeStore"), dict) or isinstance(
        item.get("nodeStore"), dict
    )


def read_loom(item: Json) -> Iterator[Conversation]:
    """The tree, each node with the text that it adds. Raises: InvalidInput if there is nothing in it."""
    tree = object_of(item.get("loomTree")) or item
    raw = {key: node for key, node in object_of(tree.get("nodeStore")).items() if isinstance(node, dict)}
    if not raw:
        raise InvalidInput(NO_MESSAGES)
    above = sound_parents(named_parents(raw, "parent", "children"))
    listed = {key: [id_of(child) for child in list_of(node.get("children"))] for key, node in raw.items()}
    replay = _Replay(raw, above)
    replay.run(parents_first(above, listed))
    messages: dict[str, Message | None] = {
        key: _message(node, replay.texts[key], above[key] if above[key] != replay.above[key] else None)
        for key, node in raw.items()
    }
    links = linked(messages, replay.above, listed=listed, begins_empty=True)
    focus = object_of(item.get("focus"))
    first = next(iter(raw))
    made_at = raw[first].get("timestamp")
    one = links.conversation(FORMAT, made_id(FORMAT, first, made_at), "", id_of(focus.get("id")) or None)
    one.mode = "buffer"
    one.extra = kept(item, ("loomTree", "nodeStore", "focus"))
    one.notes = told(
        counted(
            replay.moved,
            "1 node changes what stands before it, and hangs where its text goes on",
            "{count} nodes change what stands before them, and hang where their text goes on",
        )
    )
    one.losses = told(
        counted(replay.unfit, "1 patch does not fit its text", "{count} patches do not fit their texts")
    )
    yield one


def _message(node: Json, text: str, parent: str | None) -> Message:
    kind, model = node.get("type"), title_of(node.get("model"))
    author = YOU
    if kind in ("gen", "rewrite") or (kind is None and model):
        author = model_author(f"{FORMAT}:{model or 'model'}", model or "Model")
    extra = kept(node, _OF_NODE)
    if isinstance(patch := _unpacked(node.get("patch")), str) and patch:
        extra["patch"] = well_formed(patch)
    if parent is not None:
        extra["parent"] = well_formed(parent)
    return Message(author, Text(text), moment(node.get("timestamp")), keys=extra)


@dataclass(slots=True)
class _Replay:
    """Patches applied along every way from the root, in one text that goes forth and back.

    `texts` are what each node adds, `above` the node whose text it goes on from: its parent, or where its
    patch changes what stands before that, the last one above it whose text is left as it was.
    """

    raw: Mapping[str, Json]
    parents: Mapping[str, str | None]
    texts: dict[str, str] = field(default_factory=dict)
    above: dict[str, str | None] = field(default_factory=dict)
    moved: int = 0
    unfit: int = 0
    size: int = 0  # of all texts by now

    def run(self, order: list[str]) -> None:
        """Replay the nodes, which come depth first, each after its parent. Raises: InvalidInput."""
        text = bytearray()
        way: list[tuple[str, list[tuple[int, bytes, int]]]] = []  # nodes and how to take their patches back
        ends: dict[str, int] = {}
        for key in order:
            while way and way[-1][0] != self.parents[key]:
                _, undo = way.pop()
                for at, old, length in reversed(undo):
                    text[at : at + length] = old
            if not way:
                text = bytearray()
            before = len(text)
            undo, first = self._apply(text, self.raw[key].get("patch"))
            self._place(key, text, min(first, before), ends)
            ends[key] = len(text)
            way.append((key, undo))

    def _place(self, key: str, text: bytearray, first: int, ends: Mapping[str, int]) -> None:
        at = self.parents[key]
        while at is not None and ends[at] > first:
            at = self.above[at]
        self.moved += at != self.parents[key]
        self.above[key] = at
        begin = ends[at] if at is not None else 0
        self.size += (len(text) - begin) // UNIT_BYTES
        if self.size > MOST_TEXT:
            said = "its patches make more than {most} million characters of text, the most that is read"
            raise InvalidInput(worded(said, most=MOST_TEXT // 1_000_000))
        self.texts[key] = bytes(text[begin:]).decode("utf-16-le", "replace")

    def _apply(self, text: bytearray, patch: object) -> tuple[list[tuple[int, bytes, int]], int]:
        """Change the text; return how to take that back, and the first place that was changed."""
        undo: list[tuple[int, bytes, int]] = []
        first = len(text)
        patch = _unpacked(patch)
        self.unfit += isinstance(patch, str) and patch != ""
        for one in objects_in(patch):
            old, new, same = _sides(one)
            at = self._place_of(text, one, old)
            undo.append((at, bytes(text[at : at + len(old)]), len(new)))
            text[at : at + len(old)] = new
            first = min(first, at + same)
        return undo, first

    def _place_of(self, text: bytearray, patch: Json, old: bytes) -> int:
        start = patch.get("start2")
        wanted = len(text)
        if isinstance(start, int) and 0 <= start <= len(text):
            wanted = min(start * UNIT_BYTES, wanted)
        if text[wanted : wanted + len(old)] == old:
            return wanted
        found = text.find(old)
        while found >= 0 and found % UNIT_BYTES:
            found = text.find(old, found + 1)
        if found >= 0:
            return found
        self.unfit += 1
        return min(wanted, len(text))


def _unpacked(patch: object) -> object:
    """The list of a patch that is a text of JSON; another text stays one."""
    if isinstance(patch, str) and patch:
        try:
            return json.loads(patch)
        except (ValueError, RecursionError):
            return patch
    return patch


def _sides(patch: Json) -> tuple[bytes, bytes, int]:
    """The text before and after a patch, and how much of its beginning stays."""
    old, new = bytearray(), bytearray()
    same: int | None = None
    for diff in list_of(patch.get("diffs")):
        operation, said = (*diff, None, None)[:2] if isinstance(diff, list) else (None, None)
        if isinstance(diff, dict):
            operation, said = diff.get("0"), diff.get("1")
        part = text_of(said).encode("utf-16-le", "surrogatepass")
        if operation != INSERTED:
            old += part
        if operation != DELETED:
            new += part
        if operation in (INSERTED, DELETED) and part and same is None:
            same = min(len(old) - (len(part) if operation == DELETED else 0), len(new))
            if operation == INSERTED:
                same = len(new) - len(part)
    return bytes(old), bytes(new), len(old) if same is None else same


MINILOOM = JsonFormat("“loomTree” with “nodeStore”", is_loom, read_loom)
