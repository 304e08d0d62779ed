"""Raw responses in Loom JSON: one entry a node; siblings of one exchange share all but two of its keys."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json, JsonReader, string_map
from loomapp.core.model.decompression import MOST_BYTES, UNREADABLE, TooLarge, pieces_of
from loomapp.core.model.hashes import ResponseDigest, canonical_json
from loomapp.core.model.local_ids import base32
from loomapp.core.model.raw_response import Evidence, compress
from loomapp.core.sentences import worded
from loomapp.core.times import iso_time

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
        exchange_id = _exchange_id(tree_id, reader.rest)
        one = found.get(exchange_id)
        if one is None:
            one = _evidence(exchange_id, reader)
            if not lenient:
                _check_body(one.body_gzip, f"{place}.bodyGzipBase64", node_id)
        texts = one.texts if rule is None else {**one.texts, node_id: rule}
        found[exchange_id] = replace(one, choices={**one.choices, node_id: index}, texts=texts)
    return tuple(found.values())


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
