"""Rows of a tree as JSON values in the names of Loom JSON, and back; bad input is told by its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from loomapp.core.context.truncation import FAULTS, STRATEGIES
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json, JsonReader
from loomapp.core.model.content import content_from_json, content_to_json
from loomapp.core.model.economy_settings import economy_from_reader, economy_to_json
from loomapp.core.model.entities import (
    AgentMemory,
    AuthorType,
    BranchSummary,
    ContextSettings,
    ContextSummary,
    Edge,
    EdgeSource,
    EdgeType,
    Interrupted,
    Link,
    LoomTree,
    Metadata,
    Mode,
    Node,
    Role,
    SentRole,
    Tag,
)
from loomapp.core.sentences import worded
from loomapp.core.times import Milliseconds, iso_time

PLAIN = Metadata()  # of nearly all nodes, and the same one of all that have it

# Nodes and edges


def metadata_to_json(metadata: Metadata) -> Json:
    return {
        "bookmarked": metadata.bookmarked,
        "bookmarkLabel": metadata.bookmark_label,
        "pruned": metadata.pruned,
        "excluded": metadata.excluded,
        **metadata.extra,
    }


_PLAIN_JSON = metadata_to_json(PLAIN)


def metadata_from_reader(reader: JsonReader) -> Metadata:
    rest = reader.rest
    if not rest:
        return PLAIN
    if rest == _PLAIN_JSON and rest["bookmarked"] is rest["pruned"] is rest["excluded"] is False:
        return PLAIN  # of nearly all nodes; Python finds 0 and false equal
    found = Metadata(
        bookmarked=reader.flag("bookmarked", False),
        bookmark_label=reader.optional_text("bookmarkLabel"),
        pruned=reader.flag("pruned", False),
        excluded=reader.flag("excluded", False),
        extra=reader.unknown,
    )
    return PLAIN if found == PLAIN else found


def node_to_json(node: Node) -> Json:
    interrupted = node.interrupted
    return {
        "id": node.id,
        "localId": node.local_id,
        "content": content_to_json(node.content),
        "summary": node.summary,
        "authorAgentId": node.author_agent_id,
        "authorType": node.author_type,
        **({} if node.role is None else {"role": node.role}),
        "contentHash": node.content_hash,
        "parentHashes": list(node.parent_hashes),
        "createdAt": iso_time(node.created_at),
        "editedFrom": node.edited_from,
        "interrupted": None if interrupted is None else {"reason": interrupted.reason, **interrupted.extra},
        "metadata": metadata_to_json(node.metadata),
        **node.extra,
    }


def node_from_json(value: object, place: str, *, now: Milliseconds = 0) -> Node:
    """A node; `now` stands for a missing createdAt. An empty local id or hash is the caller's to fill.

    Raises: InvalidInput with the place.
    """
    reader = JsonReader(value, place)
    node_id = reader.name("id")
    if "content" not in reader.rest:
        raise InvalidInput(worded("{place}.content: is missing", place=place), place=f"{place}.content")
    content = content_from_json(reader.take("content"), f"{place}.content")
    created_at = reader.time("createdAt")
    interrupted = reader.take("interrupted")
    return Node(
        id=node_id,
        local_id=reader.optional_text("localId") or "",
        content=content,
        summary=reader.optional_text("summary"),
        author_agent_id=reader.optional_text("authorAgentId"),
        author_type=cast(AuthorType, reader.one_of("authorType", ("human", "model"))),
        content_hash=reader.optional_text("contentHash") or "",
        parent_hashes=reader.texts("parentHashes"),
        created_at=now if created_at is None else created_at,
        edited_from=reader.optional_text("editedFrom"),
        interrupted=None if interrupted is None else _interrupted(interrupted, f"{place}.interrupted"),
        metadata=metadata_from_reader(reader.inner("metadata")),
        role=_sent_role(reader),
        extra=reader.unknown,
    )


def _sent_role(reader: JsonReader) -> SentRole | None:
    if "role" not in reader.rest:
        return None  # as nearly every node
    if reader.rest["role"] is None:
        reader.take("role")
        return None
    return cast(SentRole, reader.one_of("role", ("user", "assistant")))


def _interrupted(value: object, place: str) -> Interrupted:
    reader = JsonReader(value, place)
    return Interrupted(reader.text("reason"), reader.rest)


def edge_to_json(edge: Edge) -> Json:
    return {
        "id": edge.id,
        "sources": [{"nodeId": s.node_id, "role": s.role, **s.extra} for s in edge.sources],
        "targetNodeId": edge.target_id,
        "edgeType": edge.type,
        "createdAt": iso_time(edge.created_at),
        **edge.extra,
    }


def edge_from_json(value: object, place: str, *, now: Milliseconds = 0) -> Edge:
    """An edge; sources may be plain ids, which are primary. A missing id is empty, the caller's to fill.

    Raises: InvalidInput with the place.
    """
    reader = JsonReader(value, place)
    if "sources" not in reader.rest:
        raise InvalidInput(worded("{place}.sources: is missing", place=place), place=f"{place}.sources")
    created_at = None
    edge_id = reader.optional_text("id") or ""
    sources = reader.each("sources", _source_from_json)
    target_id = reader.name("targetNodeId")
    edge_type = cast(EdgeType, reader.one_of("edgeType", ("continuation", "annotation"), "continuation"))
    created_at = reader.time("createdAt")
    return Edge(
        edge_id, sources, target_id, edge_type, now if created_at is None else created_at, reader.unknown
    )


def _source_from_json(value: object, place: str) -> EdgeSource:
    if isinstance(value, str):
        return EdgeSource(value)
    reader = JsonReader(value, place)
    role = cast(Role, reader.one_of("role", ("primary", "context", "instruction"), "primary"))
    return EdgeSource(reader.name("nodeId"), role, reader.unknown)


# Trees


def loom_to_json(loom: LoomTree) -> Json:
    settings = loom.context_settings
    return {
        "id": loom.id,
        "title": loom.title,
        "description": loom.description,
        "summary": loom.summary,
        "mode": loom.mode,
        "rootNodeId": loom.root_id,
        "systemContext": loom.system_context,
        "bufferModeSystemContext": loom.buffer_mode_system_context,
        "contextSettings": {
            "truncationStrategy": settings.truncation_strategy,
            "minimumRecentNodes": settings.minimum_recent_nodes,
            "tokenBuffer": settings.token_buffer,
            "instructionScope": settings.instruction_scope,
            **{name: text for name, text in _own_texts(settings).items() if text is not None},
            **economy_to_json(settings.economy),
            **settings.extra,
        },
        "createdAt": iso_time(loom.created_at),
        "updatedAt": iso_time(loom.updated_at),
        "archivedAt": None if loom.archived_at is None else iso_time(loom.archived_at),
        **loom.extra,
    }


def _own_texts(settings: ContextSettings) -> dict[str, str | None]:
    """The texts that a tree can have of its own; in a file they are only where it has them."""
    return {
        "dialogueMarker": settings.dialogue_marker,
        "bufferMarker": settings.buffer_marker,
        "continueText": settings.continue_text,
    }


def loom_from_json(value: object, place: str, *, now: Milliseconds = 0) -> LoomTree:
    """Read the facts about a whole tree. A missing id, title or rootNodeId is empty, the caller's to fill.

    Raises: InvalidInput with the place.
    """
    reader = JsonReader(value, place)
    created_at, updated_at = reader.time("createdAt"), reader.time("updatedAt")
    created_at = now if created_at is None else created_at
    return LoomTree(
        id=reader.optional_text("id") or "",
        title=reader.optional_text("title") or "",
        description=reader.optional_text("description"),
        summary=reader.optional_text("summary"),
        mode=cast(Mode, reader.one_of("mode", ("dialogue", "buffer"))),
        root_id=reader.optional_text("rootNodeId") or "",
        system_context=reader.optional_text("systemContext"),
        buffer_mode_system_context=reader.flag("bufferModeSystemContext", False),
        context_settings=_context_settings(reader.inner("contextSettings")),
        created_at=created_at,
        updated_at=created_at if updated_at is None else updated_at,
        archived_at=reader.time("archivedAt"),
        extra=reader.rest,
    )


INSTRUCTION_SCOPES = ("path", "pending")


def _context_settings(reader: JsonReader) -> ContextSettings:
    def word(name: str, choices: tuple[str, ...]) -> str | None:
        if reader.rest.get(name) is None:
            reader.take(name)
            return None
        return reader.one_of(name, choices)

    def count(name: str, least: int) -> int | None:
        value = reader.integer(name)
        if value is not None and value < least:
            raise reader.wrong(name, value, f"is less than {least}")
        return value

    def text(name: str, fault: Callable[[str], str | None]) -> str | None:
        value = reader.optional_text(name)
        wrong = None if value is None else fault(value)
        if wrong is not None:
            raise reader.wrong(name, value, wrong)
        return value

    return ContextSettings(
        truncation_strategy=word("truncationStrategy", tuple(STRATEGIES)),
        minimum_recent_nodes=count("minimumRecentNodes", 1),
        token_buffer=count("tokenBuffer", 0),
        instruction_scope=word("instructionScope", INSTRUCTION_SCOPES),
        dialogue_marker=text("dialogueMarker", FAULTS["dialogue_marker"]),
        buffer_marker=text("bufferMarker", FAULTS["buffer_marker"]),
        continue_text=text("continueText", FAULTS["continue_text"]),
        economy=economy_from_reader(reader),
        extra=reader.rest,
    )


# The smaller rows of a tree

RESPONSE = "response"  # the key of a summary's response


def tag_to_json(tag: Tag) -> Json:
    return {"name": tag.name, "colour": tag.colour, "nodeIds": list(tag.node_ids), **tag.extra}


def tag_from_json(value: object, place: str) -> Tag:
    """A tag. Raises: InvalidInput with the place."""
    reader = JsonReader(value, place)
    name, colour = reader.name("name"), reader.optional_text("colour")
    return Tag(name, colour, reader.texts("nodeIds"), reader.rest)


def link_to_json(link: Link) -> Json:
    value: Json = {"fromNodeId": link.from_node_id, "toTreeId": link.to_tree_id}
    return {**value, "toNodeId": link.to_node_id, "label": link.label, **link.extra}


def link_from_json(value: object, place: str) -> Link:
    """A link. Raises: InvalidInput with the place."""
    reader = JsonReader(value, place)
    ends = reader.name("fromNodeId"), reader.name("toTreeId"), reader.name("toNodeId")
    return Link(*ends, reader.optional_text("label"), reader.rest)


def branch_summary_to_json(summary: BranchSummary, response: object = None) -> Json:
    """A branch summary, with its response or the name of that where one is given."""
    return {"nodeId": summary.node_id, **summary.body, **_named_response(response)}


def branch_summary_from_json(value: object, place: str) -> BranchSummary:
    """A branch summary. Raises: InvalidInput with the place."""
    reader = JsonReader(value, place)
    return BranchSummary(reader.name("nodeId"), reader.rest)


def context_summary_to_json(summary: ContextSummary, response: object = None) -> Json:
    covered = {"anchorNodeId": summary.anchor_node_id, "coveredHash": summary.covered_hash}
    return {**covered, **summary.body, **_named_response(response)}


def _named_response(response: object) -> Json:
    return {} if response is None else {RESPONSE: response}


def context_summary_from_json(value: object, place: str) -> ContextSummary:
    """A context summary. Raises: InvalidInput with the place."""
    reader = JsonReader(value, place)
    anchor, covered = reader.name("anchorNodeId"), reader.optional_text("coveredHash") or ""
    return ContextSummary(anchor, covered, reader.rest)


def agent_memory_to_json(memory: AgentMemory) -> Json:
    return {"agentId": memory.agent_id, **memory.body}


def agent_memory_from_json(value: object, place: str) -> AgentMemory:
    """A memory. Raises: InvalidInput with the place."""
    reader = JsonReader(value, place)
    return AgentMemory(reader.name("agentId"), reader.rest)
