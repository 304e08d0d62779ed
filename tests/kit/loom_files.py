"""Loom JSON files for tests: the least there is, and one that holds everything."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from loomapp.core.model.raw_response import compress
from tests.kit.groves import chat_body

LEAST: Mapping[str, Any] = {
    "format": "loom-json",
    "version": 1,
    "tree": {"mode": "dialogue"},
    "nodes": [
        {"id": "n1", "content": "Why is the sky blue?", "authorType": "human"},
        {"id": "n2", "content": "Air scatters blue light more than red.", "authorType": "model"},
    ],
    "edges": [{"sources": ["n1"], "targetNodeId": "n2"}],
}

PIXEL = b"not really a picture"
PIXEL_NAME = hashlib.sha256(PIXEL).hexdigest()
BODY = base64.b64encode(compress(chat_body("Hello!", "Hi."))).decode()
SUMMARY_BODY = base64.b64encode(compress(chat_body("<analysis>…</analysis>\n\nt"))).decode()


def copy_of(value: Mapping[str, Any]) -> dict[str, Any]:
    """A deep copy that a test may change."""
    copied: dict[str, Any] = json.loads(json.dumps(value))
    return copied


def chain(*texts: str, mode: str = "dialogue") -> dict[str, Any]:
    """A hand-written file: n1 by a human, n2 by a model, and so on, one below the other."""
    authors = ("human", "model")
    return {
        "format": "loom-json",
        "version": 1,
        "tree": {"title": "t", "mode": mode},
        "nodes": [
            {"id": f"n{i + 1}", "content": text, "authorType": authors[i % 2]} for i, text in enumerate(texts)
        ],
        "edges": [{"sources": [f"n{i}"], "targetNodeId": f"n{i + 1}"} for i in range(1, len(texts))],
    }


def everything() -> dict[str, Any]:
    """A file that uses every part of the format, each with a key that Loomapp does not know."""
    return {
        "format": "loom-json",
        "version": 1,
        "tree": {
            "id": "tree-1",
            "title": "Everything — ☃\u2028 \u0000",
            "mode": "buffer",
            "systemContext": "Be brief.",
            "bufferModeSystemContext": True,
            "contextSettings": {"truncationStrategy": "rollingWindow", "minimumRecentNodes": 2, "mood": 1},
            "createdAt": "2026-11-21T12:00:00.000Z",
            "updatedAt": "2026-11-22T12:00:00.123Z",
            "archivedAt": "2026-11-23T12:00:00.000Z",
            "stars": 5,
        },
        "agents": [
            {
                "id": "a1",
                "name": "Claude",
                "type": "model",
                "modelRef": "anthropic:m",
                "configuration": {"temperature": 1, "customParameters": {"seed": 1}, "k": None},
                "permissions": {"docWrite": False, "k": []},
                "runLimits": {"steps": 8, "seconds": 300, "k": 1},
                "colour": "#123456",
                "k": {"deep": [1.5, True, None, "ü"]},
            },
            {"id": "a0", "name": "Ada", "type": "human"},
            {"id": "a9", "name": "Nobody wrote with it", "type": "model"},
        ],
        "nodes": _nodes(),
        "edges": [
            {
                "id": "e1",
                "sources": [
                    {"nodeId": "n1", "role": "primary", "weight": 0.5},
                    {"nodeId": "picture", "role": "context"},
                ],
                "targetNodeId": "n2",
                "createdAt": "2026-11-21T12:00:01.000Z",
                "k": "v",
            },
            {"id": "e2", "sources": ["n1"], "targetNodeId": "n3"},
            {"id": "e3", "sources": ["n2", "n2b"], "targetNodeId": "n4"},
            {"id": "e4", "sources": ["n1"], "targetNodeId": "n2b"},
            {"id": "e5", "sources": ["n2"], "targetNodeId": "note", "edgeType": "annotation"},
        ],
        "activePath": {
            "leafNodeId": "n4",
            "selections": [{"targetNodeId": "n4", "sourceNodeId": "n2", "k": "kept"}],
            "k": 1,
        },
        "includedAnnotations": ["note"],
        "branchSummaries": [
            {"nodeId": "n1", "title": "b", "text": "t", "updateCount": 1, "k": 1, "response": _summarised()},
            {"nodeId": "n2", "title": "by hand", "text": "t"},
        ],
        "contextSummaries": [
            {"anchorNodeId": "n4", "coveredHash": "c", "text": "t", "coveredIds": ["n1"]},
            {"anchorNodeId": "n2", "coveredHash": "d", "text": "t", "k": 1, "response": _summarised()},
        ],
        "agentMemory": [{"agentId": "a9", "pinned": ["n3"], "k": 1}, {"agentId": "a1"}],
        "tags": [
            {"name": "z", "colour": "#fff", "nodeIds": ["n2", "n1"], "k": 1},
            {"name": "a", "colour": None, "nodeIds": []},
        ],
        "links": [{"fromNodeId": "n1", "toTreeId": "elsewhere", "toNodeId": "x", "label": None, "k": 1}],
        "responses": _responses(("n3", 1), ("n2", 0)),
        "media": {PIXEL_NAME: base64.b64encode(PIXEL).decode()},
        "extra": {"anything": [1, {"at": "all"}]},
        "topLevel": {"unknown": True},
    }


def _nodes() -> list[dict[str, Any]]:
    picture = {"type": "image", "ref": PIXEL_NAME, "mimeType": "image/png", "width": 1, "height": 1, "k": 1}
    blocks = [
        {"type": "text", "text": "a\nb", "k": 1},
        picture,
        {"type": "document", "name": "d.txt", "mimeType": "text/plain", "text": "…"},
        {"type": "tool_use", "id": "t", "name": "look", "input": {"q": [1]}},
        {"type": "tool_result", "toolUseId": "t", "name": "look", "text": "seen"},
        {"type": "audio", "data": "kept"},
    ]
    return [
        {
            "id": "n1",
            "content": {"type": "mixed", "blocks": blocks, "k": 1},
            "authorType": "human",
            "authorAgentId": "a0",
            "createdAt": "2026-11-21T12:00:00.000Z",
            "metadata": {"bookmarked": True, "bookmarkLabel": "here", "k": 1},
            "k": {"unknown": ["key"]},
        },
        {"id": "picture", "content": picture, "authorType": "human", "authorAgentId": "a0"},
        {"id": "n2", "content": "Hello!", "authorType": "model", "authorAgentId": "a1", "summary": "greets"},
        {
            "id": "n3",
            "content": {"type": "text", "text": "Hi.", "k": 1},
            "authorType": "model",
            "authorAgentId": "a1",
            "interrupted": {"reason": "network", "k": 1},
        },
        {
            "id": "n2b",
            "content": "HELLO",
            "authorType": "human",
            "authorAgentId": "a0",
            "editedFrom": "n2",
            "role": "user",
        },
        {"id": "n4", "localId": "LOCAL1", "content": " end ", "authorType": "human", "authorAgentId": "a0"},
        {"id": "note", "content": "a note", "authorType": "human", "authorAgentId": "a0"},
    ]


def _summarised() -> dict[str, Any]:
    """The response of a summary."""
    [answer] = _responses(("", 0))
    facts = {name: value for name, value in answer.items() if name not in ("nodeId", "choiceIndex")}
    return {**facts, "requestId": "s1", "bodyGzipBase64": SUMMARY_BODY}


def _responses(*choices: tuple[str, int]) -> Sequence[dict[str, Any]]:
    return [
        {
            "nodeId": node_id,
            "choiceIndex": index,
            "provider": "local",
            "requestId": "r1",
            "model": "small",
            "requestBody": '{"n": 2}',
            "bodyGzipBase64": BODY,
            "headers": {"content-type": "application/json"},
            "startedAt": "2026-11-21T12:00:00.500Z",
            "endedAt": "2026-11-21T12:00:01.500Z",
            "latencyMs": 12,
            "usage": {"completion_tokens": 4},
            "finishReason": "stop",
            "k": "unknown",
        }
        for node_id, index in choices
    ]
