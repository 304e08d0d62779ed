"""Rows of a Change as the log writes them: ids and what may change, never a second copy of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from json.encoder import encode_basestring as quoted
from typing import Any, TypeAlias, cast

from loomapp.core.json_values import Json, JsonReader
from loomapp.core.model import log_chain
from loomapp.core.model.change import RowChange
from loomapp.core.model.entities import (
    ActivePath,
    AgentMemory,
    AuthorType,
    BranchSummary,
    ContextSummary,
    Edge,
    EdgeSource,
    EdgeType,
    IncludedAnnotations,
    Link,
    LoomTree,
    Metadata,
    Node,
    Role,
    Row,
    Summary,
    Tag,
)
from loomapp.core.model.hashes import canonical, canonical_content, canonical_json
from loomapp.core.times import Milliseconds
from loomapp.core.tree_json import (
    PLAIN,
    RESPONSE,
    agent_memory_from_json,
    agent_memory_to_json,
    branch_summary_from_json,
    branch_summary_to_json,
    context_summary_from_json,
    context_summary_to_json,
    link_from_json,
    link_to_json,
    loom_from_json,
    loom_to_json,
    metadata_from_reader,
    metadata_to_json,
    tag_from_json,
    tag_to_json,
)

# [kind, before, after]; of a node [NODE, before, after, id, seal or null]
LoggedRow: TypeAlias = list[Any]
KnownNode: TypeAlias = Callable[[str], Node]

NODE, EDGE, TREE, PATH = "node", "edge", "tree", "path"
SUMMARIES = ("branchSummary", "contextSummary")
NO_EXTRA = "{}"


def encode(change: RowChange) -> LoggedRow:
    row, before, after = change.row, change.before, change.after
    kind = kind_of(row)
    states = [kind, None if before is None else _state(before), None if after is None else _state(after)]
    if isinstance(row, Node):
        came_or_went = before is None or after is None
        states += [row.id, seal(row) if came_or_went else None]
    return states


def decode(logged: LoggedRow, known: KnownNode) -> RowChange:
    """The row change of a logged row; `known` gives a node's unchangeable part by its id."""
    kind, before, after = logged[:3]
    if kind == NODE:
        node = known(cast(str, logged[3]))
        return RowChange(_node_in(node, before), _node_in(node, after))
    name = cast(str, kind)
    return RowChange(_row(name, before), _row(name, after))


def encode_all(changes: Iterable[RowChange]) -> list[LoggedRow]:
    """Many row changes likewise. Of a branch thousands of nodes get the same metadata: told once."""
    states: dict[int, Json] = {}

    def state(node: Node) -> Json:
        if node.summary is not None:
            return node_state(node)
        if id(node.metadata) not in states:
            states[id(node.metadata)] = node_state(node)
        return states[id(node.metadata)]

    return [
        [NODE, state(change.before), state(change.after), change.after.id, None]
        if isinstance(change.before, Node) and isinstance(change.after, Node)
        else encode(change)
        for change in changes
    ]


def decode_all(rows: Iterable[LoggedRow], known: KnownNode) -> tuple[RowChange, ...]:
    """Many logged rows likewise; what is the same in many nodes is read once, and is one value."""
    metadata: dict[str, Metadata] = {}

    def node_in(node: Node, state: object) -> Node | None:
        if not isinstance(state, dict) or state.keys() != {"metadata"}:
            return _node_in(node, state)
        said = repr(state)
        if said not in metadata:
            read = _node_in(node, state)
            assert read is not None, "it says what the node is like"
            metadata[said] = read.metadata
        return _with(node, metadata[said], None)

    found: list[RowChange] = []
    for row in rows:
        if row[0] != NODE:
            found.append(decode(row, known))
            continue
        node = known(cast(str, row[3]))
        found.append(RowChange(node_in(node, row[1]), node_in(node, row[2])))
    return tuple(found)


def inverse(rows: Iterable[LoggedRow]) -> list[LoggedRow]:
    """The logged rows of the change that takes one back."""
    return [[row[0], row[2], row[1], *row[3:]] for row in reversed(list(rows))]


def without_path(rows: Iterable[LoggedRow]) -> list[LoggedRow]:
    """Return all but the row of the active path, which undo and redo say anew."""
    return [row for row in rows if row[0] != PATH]


def with_own(rows: Iterable[LoggedRow], own: Iterable[LoggedRow]) -> list[LoggedRow]:
    """The rows of a step that an undo or a redo moves, and what its own entry says: the path, and rows in the
    place of the step's.
    """
    own = list(own)
    instead = {log_chain.key_of(row): row for row in own if row[0] != PATH}
    if not instead:
        return [*rows, *own]
    moved = [instead.pop(log_chain.key_of(row), row) for row in rows]
    return [*moved, *instead.values(), *(row for row in own if row[0] == PATH)]


def path_before(rows: Iterable[LoggedRow]) -> ActivePath | None:
    """The active path before logged rows; None if they are of none."""
    states = (cast("Json | None", row[1]) for row in rows if row[0] == PATH)
    state = next(states, None)
    return None if state is None else _path(state)


def node_ids(rows: Iterable[LoggedRow]) -> Iterator[str]:
    return (cast(str, row[3]) for row in rows if row[0] == NODE)


def is_usual(node: Node) -> bool:
    """Tell whether nothing is said of what may change of a node: no flag, no summary."""
    return node.summary is None and (node.metadata is PLAIN or node.metadata == PLAIN)


def node_state(node: Node) -> Json:
    """Return what may change of a node, without what is as usual."""
    state: Json = {}
    if node.metadata is not PLAIN and node.metadata != PLAIN:
        state["metadata"] = metadata_to_json(node.metadata)
    if node.summary is not None:
        state["summary"] = node.summary
    return state


def _node_in(node: Node, state: object) -> Node | None:
    if state is None:
        return None
    if not state:
        return _with(node, PLAIN, None)
    reader = JsonReader(state, f"log of node {node.id}")
    metadata = metadata_from_reader(reader.inner("metadata")) if "metadata" in reader.rest else PLAIN
    return _with(node, metadata, reader.optional_text("summary"))


def _with(node: Node, metadata: Metadata, summary: str | None) -> Node:
    """The node in another state; the very same if that is its own."""
    is_same = node.metadata is metadata or node.metadata == metadata
    if node.summary != summary:
        return replace(node, metadata=metadata, summary=summary)
    return node if is_same else node.with_metadata(metadata)


def seal(node: Node) -> str:
    """A short digest of what never changes of a node, its content too: a hash that covers a response kept
    elsewhere proves nothing of it here.
    """
    interrupted, author = node.interrupted, (node.author_type, node.author_agent_id)
    written = canonical_content(node.content)
    if node.edited_from is None and interrupted is None and node.role is None:
        names = node.local_id, author, node.created_at, node.content_hash, node.parent_hashes
        return plain_seal(written, *names, canonical(dict(node.extra)) if node.extra else NO_EXTRA)
    told = [
        node.local_id,
        *author,
        node.created_at,
        node.content_hash,
        list(node.parent_hashes),
        node.edited_from,
        None if interrupted is None else {**interrupted.extra, "reason": interrupted.reason},
        dict(node.extra),
    ]
    if node.role is not None:  # seals of before roles stay as they are
        told.append(node.role)
    # The canonical JSON of one list: a long text is written down only once for a commit.
    whole = b"".join((b"[", written, b",", canonical_json(told)[1:]))
    return blake2b(whole, digest_size=12).hexdigest()


def plain_seal(
    written: bytes,
    local_id: str,
    author: tuple[AuthorType, str | None],
    created_at: Milliseconds,
    content_hash: str,
    hashes: Sequence[str],
    extra: str = NO_EXTRA,
) -> str:
    """The seal of a node of which content and extra are written down and nothing out of the ordinary is said,
    as of nearly all, at a third of the cost.
    """
    parents = quoted(hashes[0]) if len(hashes) == 1 else ",".join(map(quoted, hashes))
    author_type, author_id = author
    said_author = "null" if author_id is None else quoted(author_id)
    others = (
        f",{quoted(local_id)},{quoted(author_type)},{said_author},{created_at},"
        f"{quoted(content_hash)},[{parents}],null,null,{extra}]"
    )
    whole = b"".join((b"[", written, others.encode("utf-8", "surrogatepass")))
    return blake2b(whole, digest_size=12).hexdigest()


def edge_state(edge: Edge) -> Json:
    """An edge, its sources as id, role and foreign keys, the last two left out where they are as usual."""
    sources: list[object] = []
    for source in edge.sources:
        if source.extra:
            sources.append([source.node_id, source.role, dict(source.extra)])
        else:
            sources.append(source.node_id if source.role == "primary" else [source.node_id, source.role])
    state: Json = {"id": edge.id, "from": sources, "to": edge.target_id, "at": edge.created_at}
    if edge.type != "continuation":
        state["type"] = edge.type
    if edge.extra:
        state["extra"] = dict(edge.extra)
    return state


Short: TypeAlias = tuple[str, str, int]  # source, target and time of an edge of which all else is as usual


def in_short(state: dict[str, Any]) -> Short | Json:
    """The state of an edge in less room; two states are equal if they are so in short."""
    if len(state) == 4 and state.keys() == _USUAL_KEYS:
        sources = state["from"]
        if isinstance(sources, list) and len(sources) == 1 and isinstance(sources[0], str):
            return sources[0], state["to"], state["at"]
    return state


_USUAL_KEYS = {"id", "from", "to", "at"}


def edge_in_short(edge: Edge) -> Short | Json:
    if len(edge.sources) == 1 and edge.type == "continuation" and not edge.extra:
        source = edge.sources[0]
        if source.role == "primary" and not source.extra:
            return source.node_id, edge.target_id, edge.created_at
    return edge_state(edge)


def target_of(short: object) -> str:
    """Return where an edge in short leads."""
    return cast(str, short[1] if isinstance(short, tuple) else cast(Json, short)["to"])


def _edge(state: Json) -> Edge:
    sources = (
        (source,) if isinstance(source, str) else source
        for source in cast("list[str | list[str]]", state["from"])
    )
    return Edge(
        id=cast(str, state["id"]),
        sources=tuple(_source(*source) for source in sources),
        target_id=cast(str, state["to"]),
        type=cast(EdgeType, state.get("type", "continuation")),
        created_at=cast(int, state["at"]),
        extra=cast(Json, state.get("extra", {})),
    )


def _source(node_id: str, role: str = "primary", extra: object = None) -> EdgeSource:
    return EdgeSource(node_id, cast(Role, role), cast(Json, extra or {}))


def _path_state(path: ActivePath) -> Json:
    return {"leaf": path.leaf_id, "selections": dict(path.selections), "extra": dict(path.extra)}


def _path(state: Json) -> ActivePath:
    selections = cast("Mapping[str, str]", state["selections"])
    return ActivePath(cast(str, state["leaf"]), selections, cast(Json, state["extra"]))


def kind_of(row: Row) -> str:
    return _NAMES[type(row)]


_NAMES: Mapping[type, str] = {
    Node: NODE,
    Edge: EDGE,
    LoomTree: TREE,
    ActivePath: PATH,
    IncludedAnnotations: "included",
    Tag: "tag",
    Link: "link",
    BranchSummary: "branchSummary",
    ContextSummary: "contextSummary",
    AgentMemory: "agentMemory",
}


def _state(row: Row) -> object:
    match row:
        case Node():
            return node_state(row)
        case Edge():
            return edge_state(row)
        case LoomTree():
            return loom_to_json(row)
        case ActivePath():
            return _path_state(row)
        case IncludedAnnotations():
            return list(row.node_ids)
        case Tag():
            return tag_to_json(row)
        case Link():
            return link_to_json(row)
        case BranchSummary():
            return branch_summary_to_json(row, row.response_id)
        case ContextSummary():
            return context_summary_to_json(row, row.response_id)
        case AgentMemory():
            return agent_memory_to_json(row)


def _resting(summary: Summary) -> Summary:
    """A summary with the name of its response taken out of its body."""
    response_id = response_of(summary.body)
    if response_id is None:
        return summary
    body = {name: value for name, value in summary.body.items() if name != RESPONSE}
    return replace(summary, body=body, response_id=response_id)


def response_of(state: Mapping[str, object]) -> str | None:
    """The name of the response that the state of a summary tells of. Another program's response in full is no
    name.
    """
    said = state.get(RESPONSE)
    return said if isinstance(said, str) else None


def _row(kind: str, state: object) -> Row | None:
    return None if state is None else _READERS[kind](state)


_READERS: Mapping[str, Callable[[object], Row]] = {
    EDGE: lambda state: _edge(cast(Json, state)),
    TREE: lambda state: loom_from_json(state, "log"),
    PATH: lambda state: _path(cast(Json, state)),
    "included": lambda state: IncludedAnnotations(tuple(cast("list[str]", state))),
    "tag": lambda state: tag_from_json(state, "log"),
    "link": lambda state: link_from_json(state, "log"),
    "branchSummary": lambda state: _resting(branch_summary_from_json(state, "log")),
    "contextSummary": lambda state: _resting(context_summary_from_json(state, "log")),
    "agentMemory": lambda state: agent_memory_from_json(state, "log"),
}
