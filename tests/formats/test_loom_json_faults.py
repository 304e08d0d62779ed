"""What Loom JSON refuses: always one line that names the place, and nothing half read."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.formats.loom_json import read
from tests.kit.loom_files import everything

Spoil = Callable[[dict[str, Any]], object]


def fault(source: bytes | str) -> str:
    with pytest.raises(InvalidInput) as caught:
        read(source)
    assert "\n" not in caught.value.message
    return caught.value.message


def spoiled(spoil: Spoil) -> str:
    value = everything()
    spoil(value)
    return fault(json.dumps(value))


def put(path: str, new: object) -> Spoil:
    """Sets `nodes.3.authorType` and the like."""

    def spoil(value: dict[str, Any]) -> None:
        at: Any = value
        *steps, last = [int(s) if s.isdigit() else s for s in path.split(".")]
        for step in steps:
            at = at[step]
        at[last] = new

    return spoil


def drop(path: str) -> Spoil:
    """Takes a key away."""

    def spoil(value: dict[str, Any]) -> None:
        at: Any = value
        *steps, last = [int(s) if s.isdigit() else s for s in path.split(".")]
        for step in steps:
            at = at[step]
        del at[last]

    return spoil


TEXTS = [
    (b"", "the file is empty"),
    (b" \n ", "the file is empty"),
    (b"{", "line 1, column 2: the file ends in the middle; it seems cut off"),
    (b'{"a": [1,\n 2', "line 2, column 3: the file ends in the middle; it seems cut off"),
    (b'{"a": "b', "line 1, column 7: a text begins here and never ends; is the file cut off?"),
    (b'{"a" 1}', "line 1, column 6: not JSON: Expecting ':' delimiter"),
    (b"\x80abc", "byte 1 (0x80) is not UTF-8 text"),
    ('{"a": "ü"}'.encode("utf-16"), "byte 1 (0xff) is not UTF-8 text"),
    (b'{"a": [0, NaN]}', "a[1]: NaN is not a number in JSON"),
    (b'{"a": -Infinity}', "a: -Infinity is not a number in JSON"),
    (b'{"a": 1e999}', "a: 1e999 is too large a number"),
    (b'{"a": {"b c": %s}}' % (b"9" * 5000), 'a["b c"]: the number has too many digits'),
    (b'{"a": [{"b": 1, "b": 2}]}', 'a[0]: the key "b" appears twice'),
    (b'{"a": "x\\ud83d"}', "a: holds half a character (a lone surrogate)"),
    (b'{"\\udc00": 1}', "a key: holds half a character (a lone surrogate)"),
    (b"[" * 100_000, "its values are nested more than 100 levels deep"),
    (b'{"a":' + b"[" * 101 + b"]" * 101 + b"}", "its values are nested more than 100 levels deep"),
    (b"null", 'format: is missing; a Loom JSON file begins with {"format": "loom-json"'),
    (b"[]", 'format: is missing; a Loom JSON file begins with {"format": "loom-json"'),
    (b'{"format": "other"}', 'format: "other" is none of loom-json'),
    (
        b'{"format": "loom-json"}',
        "version: null is not a version this Loomapp reads; it reads version 1",
    ),
    (b'{"format": "loom-json", "version": 1}', "tree.mode: is missing"),
    (
        b'{"format": "loom-json", "version": 1, "tree": {"mode": "dialogue"}}',
        "nodes: is empty; a tree has at least its root",
    ),
]


@pytest.mark.parametrize(("source", "line"), TEXTS, ids=range(len(TEXTS)))
def test_a_faulty_text_is_told_by_its_place(source: bytes, line: str) -> None:
    assert fault(source) == line


BLOCKS = ("text", "image", "audio", "document", "tool_use", "tool_result")
NOT_A_HASH = "is not a SHA-256 in hexadecimal"
SPOILS: list[tuple[Spoil, str]] = [
    (put("version", 2), "version: 2 is not a version this Loomapp reads; it reads version 1"),
    (put("version", True), "version: true is not a version this Loomapp reads; it reads version 1"),
    (put("tree", 7), "tree: 7 is not an object"),
    (put("tree.mode", "prose"), 'tree.mode: "prose" is neither dialogue nor buffer'),
    (put("tree.title", ["t"]), 'tree.title: ["t"] is neither a text nor null'),
    (put("tree.createdAt", "soon"), 'tree.createdAt: "soon" is not an ISO 8601 time'),
    (
        put("tree.archivedAt", "0001-01-01T00:00:00+14:00"),
        'tree.archivedAt: "0001-01-01T00:00:00+14:00" is not an ISO 8601 time',
    ),
    (
        put("tree.contextSettings.minimumRecentNodes", 0),
        "tree.contextSettings.minimumRecentNodes: 0 is less than 1",
    ),
    (
        put("tree.contextSettings.tokenBuffer", 10**30),
        "tree.contextSettings.tokenBuffer: 1000000000000000000000000000000 is too large a number",
    ),
    (put("tree.rootNodeId", "n0"), "tree.rootNodeId: “n0” is not a node of this file"),
    (put("tree.rootNodeId", "n2"), "tree.rootNodeId: “n2” is not a root: edges[0] leads into it"),
    (put("agents", {}), "agents: {} is not a list"),
    (put("agents.1.id", "a1"), "agents[1].id: “a1” is already the id of agents[0]"),
    (put("agents.0.type", "cat"), 'agents[0].type: "cat" is neither human nor model'),
    (
        put("agents.0.configuration.temperature", "hot"),
        'agents[0].configuration.temperature: "hot" is neither a number nor null',
    ),
    (
        put("agents.0.configuration.stopSequences", [1]),
        "agents[0].configuration.stopSequences[0]: 1 is not a text",
    ),
    (put("nodes.3.authorType", "robot"), 'nodes[3].authorType: "robot" is neither human nor model'),
    (put("nodes.3.authorType", None), "nodes[3].authorType: null is neither human nor model"),
    (put("nodes.3", "n"), 'nodes[3]: "n" is not an object'),
    (put("nodes.3.id", ""), 'nodes[3].id: "" is empty'),
    (put("nodes.3.id", "n1"), "nodes[3].id: “n1” is already the id of nodes[0]"),
    (drop("nodes.2.id"), "nodes[2].id: is missing"),
    (drop("nodes.2.content"), "nodes[2].content: is missing"),
    (drop("nodes.2.authorType"), "nodes[2].authorType: is missing"),
    (put("nodes.2.content", 1), "nodes[2].content: 1 is not an object"),
    (
        put("nodes.0.content.blocks.1.width", True),
        "nodes[0].content.blocks[1].width: true is neither a whole number nor null",
    ),
    (
        put("nodes.0.content.blocks.0.type", "film"),
        f'nodes[0].content.blocks[0].type: "film" is none of {", ".join(BLOCKS)}',
    ),
    (put("nodes.2.localId", "local1"), "nodes[5].localId: “LOCAL1” is already the localId of nodes[2]"),
    (put("nodes.2.contentHash", "…"), f"nodes[2].contentHash: {NOT_A_HASH}"),
    (put("nodes.2.parentHashes", ["x"]), f"nodes[2].parentHashes[0]: {NOT_A_HASH}"),
    (put("nodes.2.metadata", []), "nodes[2].metadata: [] is not an object"),
    (put("nodes.2.metadata", {"pruned": 1}), "nodes[2].metadata.pruned: 1 is neither true nor false"),
    (put("nodes.3.interrupted", True), "nodes[3].interrupted: true is not an object"),
    (put("edges.1.id", "e1"), "edges[1].id: “e1” is already the id of edges[0]"),
    (drop("edges.1.sources"), "edges[1].sources: is missing"),
    (put("edges.1.sources", []), "edges[1].sources: there is no primary source to continue"),
    (
        put("edges.1.sources", [{"nodeId": "n1", "role": "context"}]),
        "edges[1].sources: there is no primary source to continue",
    ),
    (put("edges.1.sources", ["gone"]), "edges[1].sources[0].nodeId: “gone” is not a node of this file"),
    (put("edges.1.targetNodeId", "gone"), "edges[1].targetNodeId: “gone” is not a node of this file"),
    (put("edges.1.targetNodeId", "n2"), "edges[1].targetNodeId: “n2” already continues by edges[0]"),
    (put("edges.3.sources", ["n4"]), "edges[3]: goes in a circle: “n2b” comes before itself"),
    (put("edges.1.edgeType", "loop"), 'edges[1].edgeType: "loop" is neither continuation nor annotation'),
    (put("activePath.leafNodeId", "gone"), "activePath.leafNodeId: “gone” is not a node of this file"),
    (
        put("activePath.selections", [{"targetNodeId": "n4"}]),
        "activePath.selections[0].sourceNodeId: is missing",
    ),
    (put("includedAnnotations", ["gone"]), "includedAnnotations[0]: “gone” is not a node of this file"),
    (put("tags.0.nodeIds", ["n1", "gone"]), "tags[0].nodeIds[1]: “gone” is not a node of this file"),
    (put("tags.1.name", "z"), "tags[1]: “z” is already the name of tags[0]"),
    (put("links.0.fromNodeId", "gone"), "links[0].fromNodeId: “gone” is not a node of this file"),
    (put("branchSummaries.0.nodeId", "gone"), "branchSummaries[0].nodeId: “gone” is not a node of this file"),
    (
        put("contextSummaries.0.anchorNodeId", "gone"),
        "contextSummaries[0].anchorNodeId: “gone” is not a node of this file",
    ),
    (put("branchSummaries.0.response", "r1"), 'branchSummaries[0].response: "r1" is not an object'),
    (
        put("contextSummaries.1.response.bodyGzipBase64", "eHg="),
        "contextSummaries[1].response.bodyGzipBase64: is not a whole gzip stream",
    ),
    (put("contextSummaries.1.response.usage", 1), "contextSummaries[1].response.usage: 1 is not an object"),
    (put("agentMemory.1.agentId", "a9"), "agentMemory[1]: “a9” is already the name of agentMemory[0]"),
    (put("agentMemory.0.agentId", ""), 'agentMemory[0].agentId: "" is empty'),
    (put("nodes.0.role", "system"), 'nodes[0].role: "system" is neither user nor assistant'),
    (put("agents.0.runLimits", {"steps": 0}), "agents[0].runLimits.steps: 0 is less than 1"),
    (
        put("agents.0.permissions", {"loomWrite": "maybe"}),
        'agents[0].permissions.loomWrite: "maybe" is neither true nor false nor "ask"',
    ),
    (put("responses.0.nodeId", "gone"), 'responses[0].nodeId: "gone" is not a node of this file'),
    (put("responses.0.nodeId", "n2"), 'responses[1].nodeId: "n2" has two responses'),
    (put("responses.0.choiceIndex", -1), "responses[0].choiceIndex: -1 is less than 0"),
    (put("responses.0.headers", {"a": 1}), "responses[0].headers.a: 1 is not a text"),
    (put("responses.0.bodyGzipBase64", "*"), "responses[0].bodyGzipBase64: is not base64"),
    (put("responses.0.bodyGzipBase64", "eHg="), "responses[0].bodyGzipBase64: is not a whole gzip stream"),
    (put("media", {"x": "eHg="}), "media.x: its bytes have another SHA-256"),
    (put("media", {"x": 1}), "media.x: is not a text in base64"),
    (put("extra", [1]), "extra: [1] is not an object"),
]


@pytest.mark.parametrize(("spoil", "line"), SPOILS, ids=range(len(SPOILS)))
def test_a_faulty_value_is_told_by_its_place(spoil: Spoil, line: str) -> None:
    assert spoiled(spoil) == line


def test_a_response_that_unpacks_to_far_too_much_is_refused() -> None:
    bomb = base64.b64encode(gzip.compress(bytes(65 * 1024 * 1024))).decode()

    line = spoiled(put("responses.0.bodyGzipBase64", bomb))

    assert line == (
        "responses[0].bodyGzipBase64: unpacks to more than 64 MiB, more than any answer of a model. Take the "
        "response of node n3 out of the file: all else can be imported"
    )


def test_every_truncation_of_a_file_is_refused_in_one_line() -> None:
    whole = json.dumps(everything(), ensure_ascii=False).encode()

    for length in range(0, len(whole), 7):
        fault(whole[:length])
