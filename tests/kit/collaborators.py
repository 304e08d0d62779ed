"""A grove with a subject, a collaborator and a conversation, and servers that answer as the collaborator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.kit.processes.command import Ran, loomapp
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer, Received, Script

TREE = "talk"
AT = "2026-11-21T14:03:00.000Z"
MODEL_OF = {"claude": "fake:wise", "marie": "fake:subject", "ada": "fake:other"}


def conversation(**of_claude: object) -> dict[str, Any]:
    """A question, Marie's answer and a second question, as a Loom JSON file."""
    texts = (("Q1AAAA", "Who are you?"), ("A7X2KQ", "I am Marie."), ("B3K9MM", "What does she hide?"))
    nodes = [
        {
            "id": local_id.lower(),
            "localId": local_id,
            "content": text,
            "authorType": "model" if local_id == "A7X2KQ" else "human",
            "authorAgentId": "marie" if local_id == "A7X2KQ" else "you",
            "createdAt": AT,
        }
        for local_id, text in texts
    ]
    claude = {"id": "claude", "name": "Claude", "type": "model", "modelRef": MODEL_OF["claude"]}
    return {
        "format": "loom-json",
        "version": 1,
        "tree": {"id": TREE, "title": "Marie", "mode": "dialogue", "rootNodeId": "q1aaaa"},
        "agents": [
            {"id": "you", "name": "You", "type": "human"},
            {"id": "marie", "name": "Marie", "type": "model", "modelRef": MODEL_OF["marie"]},
            {**claude, "loomAware": True, **of_claude},
            {**claude, "id": "ada", "name": "Ada", "modelRef": MODEL_OF["ada"], "loomAware": True},
        ],
        "nodes": nodes,
        "edges": [
            {"sources": [source], "targetNodeId": target}
            for source, target in (("q1aaaa", "a7x2kq"), ("a7x2kq", "b3k9mm"))
        ],
        "activePath": {"leafNodeId": "b3k9mm", "selections": []},
    }


def grove_of(folder: Path, **of_claude: object) -> Path:
    """A grove with that conversation."""
    file, grove = folder / "talk.loom.json", folder / "g.loom"
    file.write_text(json.dumps(conversation(**of_claude)), encoding="utf-8")
    ran = loomapp("import", file, "--grove", grove)
    assert ran.status == 0, ran.err
    return grove


def answer(text: str) -> Script:
    """A whole answer."""
    return DIALECTS["chat"].answer(text)


def generate(grove: Path, server: FakeServer, *more: str, agent: str = "claude") -> Ran:
    """Have an agent continue the second question."""
    return loomapp(*asks(grove, server, *more, agent=agent))


def asks(grove: Path, server: FakeServer, *more: str, agent: str = "claude") -> tuple[str, ...]:
    """The arguments of that."""
    at = ("--grove", str(grove), "--tree", TREE, "--at", "B3K9MM", "--agent", agent, "--json")
    return ("generate", *at, "--endpoint", server.url, "--api", "chat", *more)


def body_of(request: Received) -> dict[str, Any]:
    """The JSON of a request."""
    body: dict[str, Any] = json.loads(request.body)
    return body


def messages_of(request: Received) -> list[tuple[str, str]]:
    """The messages of a request, the system text among them."""
    return [(one["role"], one["content"]) for one in body_of(request)["messages"]]
