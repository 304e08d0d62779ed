"""Loom JSON besides nodes and edges: path, inclusions, tags, links, summaries, memories, raw responses."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json, JsonReader, string_map
from loomapp.core.model.entities import (
    ActivePath,
    AgentMemory,
    BranchSummary,
    ContextSummary,
    IncludedAnnotations,
    Link,
    Mark,
    Summary,
    Tag,
)
from loomapp.core.model.hashes import ResponseDigest, canonical_json
from loomapp.core.model.local_ids import base32
from loomapp.core.model.raw_response import MOST_BYTES, UNREADABLE, Evidence, TooLarge, compress, pieces_of
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.core.times import iso_time
from loomapp.core.tree_json import (
    RESPONSE,
    agent_memory_from_json,
    agent_memory_to_json,
    branch_summary_from_json,
    branch_summary_to_json,
    context_summary_from_json,
    context_summary_to_json,
    link_from_json,
    tag_from_json,
)
from loomapp.formats import soundness

S = TypeVar("S", BranchSummary, ContextSummary)


@dataclass(frozen=True, slots=True)
class Details:
    """The smaller rows of a tree as a file lists them; `leaf_id` is empty where it gives none."""

    leaf_id: str
    selections: Mapping[str, str]
    selection_keys: Mapping[str, Json]  # unknown keys of selections, by their target
    path_extra: Json
    included: tuple[str, ...]
    tags: tuple[Tag, ...]
    links: tuple[Link, ...]
    branch_summaries: tuple[BranchSummary, ...]
    context_summaries: tuple[ContextSummary, ...]
    unhashed: frozenset[str]  # anchors of those of which the file gives no hash: it is made on reading
    agent_memory: tuple[AgentMemory, ...]
    evidence: tuple[Evidence, ...]  # the responses of summaries


def read_details(file: JsonReader, tree_id: str, *, lenient: bool = False) -> Details:
    """Read the smaller rows of the tree of this id; `lenient` as of `responses_from_json`.

    Raises: InvalidInput with the place of what is not of its type.
    """
    found: dict[str, Evidence] = {}

    def resting(read: Callable[[object, str], S]) -> Callable[[object, str], S]:
        return lambda value, place: _resting(read(value, place), place, tree_id, found, lenient=lenient)

    path = file.inner("activePath")
    leaf_id = path.optional_text("leafNodeId") or ""
    selections, selection_keys = _selections(path)
    return Details(
        leaf_id=leaf_id,
        selections=selections,
        selection_keys=selection_keys,
        path_extra=path.rest,
        included=file.texts("includedAnnotations"),
        tags=file.each("tags", tag_from_json),
        links=file.each("links", link_from_json),
        branch_summaries=file.each("branchSummaries", resting(branch_summary_from_json)),
        unhashed=_unhashed(file),
        context_summaries=file.each("contextSummaries", resting(context_summary_from_json)),
        agent_memory=file.each("agentMemory", agent_memory_from_json),
        evidence=tuple(found.values()),  # which is full by now
    )


def _unhashed(file: JsonReader) -> frozenset[str]:
    listed = file.rest.get("contextSummaries")
    rows = (row for row in listed if isinstance(row, dict)) if isinstance(listed, list) else ()
    return frozenset(str(row.get("anchorNodeId")) for row in rows if row.get("coveredHash") is None)


def _resting(summary: S, place: str, tree_id: str, found: dict[str, Evidence], *, lenient: bool) -> S:
    """A summary that names its response, which is noted among those that were found."""
    body = dict(summary.body)
    response = body.pop(RESPONSE, None)
    if response is None:
        return summary
    place = f"{place}.{RESPONSE}"
    one = _exchange(JsonReader(response, place), tree_id, found)
    if not lenient:
        _check_body(one.body_gzip, f"{place}.bodyGzipBase64", summary.node_id)
    found[one.id] = one
    return replace(summary, body=body, response_id=one.id)


def check_details(details: Details, tree: Tree) -> None:
    """Raises: InvalidInput where a detail names a node that is not there, or is there twice."""
    lists: dict[str, Iterable[Mark]] = {
        "tags": details.tags,
        "links": details.links,
        "branchSummaries": details.branch_summaries,
        "contextSummaries": details.context_summaries,
        "agentMemory": details.agent_memory,
    }
    for name, rows in lists.items():
        soundness.check_unique([row.key.replace("\0", " → ") for row in rows], f"{name}[{{}}]", "name")
    soundness.check_unique(details.included, "includedAnnotations[{}]", "value")
    included = [(f"includedAnnotations[{i}]", node_id) for i, node_id in enumerate(details.included)]
    soundness.check_known([*included, *_references(details)], tree.nodes)


def put_details(details: Details, tree: Tree) -> None:
    """Into a tree that has its nodes and edges. Without a leaf the path is the root."""
    tree.path = ActivePath(details.leaf_id or tree.root_id, details.selections, details.path_extra)
    tree.included_annotations = IncludedAnnotations(details.included)
    tree.tags = {tag.key: tag for tag in details.tags}
    tree.links = {link.key: link for link in details.links}
    tree.branch_summaries = {summary.key: summary for summary in details.branch_summaries}
    tree.context_summaries = {summary.key: summary for summary in details.context_summaries}
    tree.agent_memory = {memory.key: memory for memory in details.agent_memory}


def summaries_to_json(tree: Tree, evidence: Iterable[Evidence]) -> Json:
    """The summaries of a tree that do not sleep, with those of the responses that they rest on, and the
    memories of agents, if there are any.
    """
    responses = {one.id: one for one in evidence}

    def response(summary: Summary) -> Json | None:
        one = responses.get(summary.response_id or "")
        return None if one is None else _facts(one)

    branches = [row for row in tree.branch_summaries.values() if not tree.sleeps(row)]
    contexts = [row for row in tree.context_summaries.values() if not tree.sleeps(row)]
    memories = [agent_memory_to_json(row) for row in tree.agent_memory.values()]
    return {
        "branchSummaries": [branch_summary_to_json(row, response(row)) for row in branches],
        "contextSummaries": [context_summary_to_json(row, response(row)) for row in contexts],
        **({"agentMemory": memories} if memories else {}),
    }


def _selections(path: JsonReader) -> tuple[dict[str, str], dict[str, Json]]:
    selections: dict[str, str] = {}
    unknown: dict[str, Json] = {}
    for i, value in enumerate(path.items("selections")):
        item = JsonReader(value, f"activePath.selections[{i}]")
        target_id, source_id = item.name("targetNodeId"), item.name("sourceNodeId")
        if target_id in selections:
            raise item.wrong("targetNodeId", target_id, "has two selections")
        selections[target_id] = source_id
        if item.rest:
            unknown[target_id] = item.rest
    return selections, unknown


def _references(details: Details) -> Iterable[tuple[str, str]]:
    """The places that name a node; not selections, which are ignored off the path wherever they point."""
    if details.leaf_id:
        yield "activePath.leafNodeId", details.leaf_id
    for i, tag in enumerate(details.tags):
        yield from ((f"tags[{i}].nodeIds[{j}]", node_id) for j, node_id in enumerate(tag.node_ids))
    for i, link in enumerate(details.links):
        yield f"links[{i}].fromNodeId", link.from_node_id
    for i, branch in enumerate(details.branch_summaries):
        yield f"branchSummaries[{i}].nodeId", branch.node_id
    for i, context in enumerate(details.context_summaries):
        yield f"contextSummaries[{i}].anchorNodeId", context.anchor_node_id


def selection_to_json(target_id: str, source_id: str, keys: Mapping[str, object]) -> Json:
    """A chosen source, with the unknown keys its file gave it."""
    unknown = cast(Json, keys.get(target_id, {}))
    return {"targetNodeId": target_id, "sourceNodeId": source_id, **unknown}


TEXT_RULE = "textRule"


def responses_to_json(evidence: Iterable[Evidence], node_ids: Iterable[str]) -> list[Json]:
    """An entry for each node that has a response, in the order of the nodes."""
    of_node = {node_id: one for one in evidence for node_id in one.choices}
    return [_entry(of_node[node_id], node_id) for node_id in node_ids if node_id in of_node]


def _entry(evidence: Evidence, node_id: str) -> Json:
    rule = evidence.texts.get(node_id)
    return {
        "nodeId": node_id,
        "choiceIndex": evidence.choices[node_id],
        **({} if rule is None else {TEXT_RULE: rule}),
        **_facts(evidence),
    }


def _facts(evidence: Evidence) -> Json:
    """An exchange without what rests on it."""
    return {
        "provider": evidence.provider,
        "requestId": evidence.request_id,
        "model": evidence.model,
        "requestBody": evidence.request_body,
        "bodyGzipBase64": base64.b64encode(evidence.body_gzip).decode("ascii"),
        "headers": dict(evidence.headers),
        "startedAt": iso_time(evidence.started_at),
        "endedAt": iso_time(evidence.ended_at),
        "latencyMs": evidence.latency_ms,
        "usage": dict(evidence.usage),
        "finishReason": evidence.finish_reason,
        **{name: value for name, value in evidence.extra.items() if name != TEXT_RULE},
    }


def responses_from_json(
    entries: Sequence[object], node_ids: Iterable[str], tree_id: str, *, lenient: bool = False
) -> tuple[Evidence, ...]:
    """The exchanges behind the entries, entries that differ only in node, choice and rule being one exchange.

    An exchange's id follows from its content and the tree's id: the same on every import of a file.
    `lenient` takes bodies that cannot be unpacked, for whoever looks at them to name.
    Raises: InvalidInput with the place.
    """
    known = set(node_ids)
    found: dict[str, Evidence] = {}
    seen: set[str] = set()
    for i, value in enumerate(entries):
        place = f"responses[{i}]"
        reader = JsonReader(value, place)
        node_id = reader.name("nodeId")
        if node_id not in known:
            raise reader.wrong("nodeId", node_id, "is not a node of this file")
        if node_id in seen:
            raise reader.wrong("nodeId", node_id, "has two responses")
        seen.add(node_id)
        index = reader.integer("choiceIndex") or 0
        if index < 0:
            raise reader.wrong("choiceIndex", index, "is less than 0")
        rule = reader.optional_text(TEXT_RULE)
        one = _exchange(reader, tree_id, found)
        if not lenient and one.id not in found:
            _check_body(one.body_gzip, f"{place}.bodyGzipBase64", node_id)
        texts = one.texts if rule is None else {**one.texts, node_id: rule}
        found[one.id] = replace(one, choices={**one.choices, node_id: index}, texts=texts)
    return tuple(found.values())


def _exchange(reader: JsonReader, tree_id: str, found: Mapping[str, Evidence]) -> Evidence:
    """The exchange of an entry, as it was found before if it was."""
    exchange_id = _exchange_id(tree_id, reader.rest)
    return found.get(exchange_id) or _evidence(exchange_id, reader)


def together(evidence: Iterable[Evidence], of_summaries: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The responses of nodes and those of summaries, each once."""
    found = {one.id: one for one in evidence}
    return (*found.values(), *(one for one in of_summaries if one.id not in found))


def digests(evidence: Iterable[Evidence]) -> Mapping[str, ResponseDigest]:
    """Return what each node's hash takes from its response."""
    found: dict[str, ResponseDigest] = {}
    for one in evidence:
        found |= one.digests()
    return found


def _exchange_id(tree_id: str, rest: Json) -> str:
    return base32(hashlib.sha256(canonical_json([tree_id, rest])).digest())[:26]


def _evidence(exchange_id: str, reader: JsonReader) -> Evidence:
    started_at, ended_at = reader.time("startedAt") or 0, reader.time("endedAt")
    return Evidence(
        id=exchange_id,
        provider=reader.optional_text("provider") or "",
        request_id=reader.optional_text("requestId"),
        model=reader.optional_text("model"),
        request_body=reader.optional_text("requestBody") or "",
        body_gzip=_body(reader),
        headers=string_map(reader.mapping("headers"), f"{reader.place}.headers"),
        started_at=started_at,
        ended_at=started_at if ended_at is None else ended_at,
        latency_ms=reader.integer("latencyMs"),
        usage=reader.mapping("usage"),
        finish_reason=reader.optional_text("finishReason"),
        extra=reader.rest,
    )


def _body(reader: JsonReader) -> bytes:
    text = reader.optional_text("bodyGzipBase64")
    if text is None:
        return compress(b"")
    return bytes_from_base64(text, f"{reader.place}.bodyGzipBase64")


def _check_body(body_gzip: bytes, place: str, node_id: str) -> None:
    """Raises: InvalidInput for a body that cannot be unpacked, or is more than any answer."""
    try:
        deque(pieces_of(body_gzip), maxlen=0)
    except TooLarge as error:
        text = worded(
            "{place}: unpacks to more than {most} MiB, more than any answer of a model. Take the response of "
            "node {node_id} out of the file: all else can be imported",
            place=place,
            most=MOST_BYTES >> 20,
            node_id=node_id,
        )
        raise InvalidInput(text, place=place) from error
    except UNREADABLE as error:
        raise InvalidInput(worded("{place}: is not a whole gzip stream", place=place), place=place) from error


def bytes_from_base64(text: str, place: str) -> bytes:
    """Raises: InvalidInput with the place if it is not base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(worded("{place}: is not base64", place=place), place=place) from error
