"""A Loom JSON value read as the rules of paths and contents say, searched from end to end each time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class NaiveError(Exception):
    """Why there is no context."""

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


@dataclass
class Part:
    """A piece of what is sent: its text, which for an image is the text that it counts as."""

    text: str
    node_id: str | None = None  # none: see kind
    role: str = "user"
    image: Json | None = None
    kind: str | None = None
    described: str | None = None  # why an image goes as its text, where it could be one

    @property
    def cost(self) -> int:
        return cost(self.text)


@dataclass
class Path:
    """`edges[i]` leads from `nodes[i]` to `nodes[i + 1]`; `alternates` are primaries that were passed by."""

    nodes: list[str]
    edges: list[Json] = field(default_factory=list)
    alternates: list[str] = field(default_factory=list)


def cost(text: str) -> int:
    """`ceil(characters / 4)`, of code points."""
    return -(-len(text) // 4)


def sources(edge: Json, *roles: str) -> list[str]:
    """The ids of an edge's sources in these roles, in listed order; a plain list of ids means primary."""
    pairs = [(s, "primary") if isinstance(s, str) else (s["nodeId"], s["role"]) for s in edge["sources"]]
    return [node_id for node_id, role in pairs if role in roles]


class NaiveLoom:
    """The tree of one file."""

    def __init__(self, file: Json) -> None:
        self.tree: Json = file["tree"]
        self.dialogue = self.tree["mode"] == "dialogue"
        self.nodes: dict[str, Json] = {node["id"]: node for node in file["nodes"]}
        self.edges: list[Json] = file["edges"]
        self.included: list[str] = file.get("includedAnnotations", [])
        chosen = file.get("activePath", {}).get("selections", [])
        self.selections: dict[str, str] = {s["targetNodeId"]: s["sourceNodeId"] for s in chosen}
        given = {node["id"]: node["localId"] for node in file["nodes"] if node.get("localId")}
        self.local_ids: dict[str, str] = given
        for node_id in self.nodes:
            if node_id not in self.local_ids:
                self.local_ids[node_id] = self.made_local_id(node_id)

    def made_local_id(self, node_id: str) -> str:
        """ "take its last 6 characters, lengthened on a collision; for foreign ids [...] the first 6 base32
        characters of the id's SHA-256" """
        ulid = len(node_id) == 26 and node_id[0] in CROCKFORD[:8] and set(node_id) <= set(CROCKFORD)
        digest = int.from_bytes(hashlib.sha256(node_id.encode()).digest(), "big")
        letters = "".join(CROCKFORD[(digest >> (251 - 5 * i)) & 31] for i in range(26))
        taken = self.local_ids.values()
        made = (node_id[-n:] if ulid else letters[:n] for n in range(6, 27))
        return next(local_id for local_id in made if local_id not in taken)

    def edges_into(self, node_id: str, kind: str) -> list[Json]:
        return [edge for edge in self.edges_of(kind) if edge["targetNodeId"] == node_id]

    def edges_of(self, kind: str) -> list[Json]:
        return [edge for edge in self.edges if edge.get("edgeType", "continuation") == kind]

    def flagged(self, node_id: str, flag: str) -> bool:
        return bool((self.nodes[node_id].get("metadata") or {}).get(flag))

    def role(self, node_id: str) -> str:
        return "user" if self.nodes[node_id]["authorType"] == "human" else "assistant"

    # Paths

    def path(self, at: str, selections: Mapping[str, str]) -> Path:
        if at not in self.nodes:
            raise NaiveError("NODE_NOT_FOUND")
        path = Path([at])
        while True:
            edge = self.edge_into(path.nodes[0])
            if edge is None:
                return path
            source = self.chosen(edge, selections)
            if source not in self.nodes:
                raise NaiveError("NODE_NOT_FOUND")
            if source in path.nodes:
                raise NaiveError("CYCLE")
            versions = self.family(source)
            path.alternates[:0] = [s for s in sources(edge, "primary") if s not in versions]
            path.nodes.insert(0, source)
            path.edges.insert(0, edge)

    def edge_into(self, node_id: str) -> Json | None:
        """ "A node without a continuation edge is left by its annotation edge, at every step" """
        continued = self.edges_into(node_id, "continuation")
        if len(continued) > 1:
            raise NaiveError("AMBIGUOUS_PATH")
        edges = continued or self.edges_into(node_id, "annotation")
        return edges[0] if edges else None

    def chosen(self, edge: Json, selections: Mapping[str, str]) -> str:
        primaries = sources(edge, "primary")
        if not primaries:
            raise NaiveError("INVALID_EDGE")
        if edge["targetNodeId"] in selections:
            choice = selections[edge["targetNodeId"]]
            if choice not in primaries:
                raise NaiveError("INVALID_SELECTION")
            return choice
        there = [p for p in primaries if p in self.nodes]
        versions = self.family(primaries[0])
        if not there or any(p not in versions for p in primaries):
            return primaries[0]
        living = [p for p in there if not self.flagged(p, "pruned")] or there
        return max(living, key=lambda p: (self.nodes[p].get("createdAt", ""), p))

    def family(self, node_id: str) -> set[str]:
        """The node and everything that `editedFrom` ties to it, in either direction."""
        found = {node_id}
        while True:
            ties = [{n["id"], n["editedFrom"]} for n in self.nodes.values() if n.get("editedFrom")]
            more = found.union(*(tie for tie in ties if tie & found))
            if more == found:
                return found
            found = more

    # Contents

    def parts(
        self,
        node_id: str,
        role: str = "user",
        *,
        as_images: bool = True,
        withheld: Json | None = None,
    ) -> list[Part]:
        """ "each block is a part; Dialogue strips text blocks and skips blank ones" """
        content = self.nodes[node_id]["content"]
        if isinstance(content, str):
            content = {"type": "text", "text": content}
        blocks = content["blocks"] if content["type"] == "mixed" else [content]
        parts = [self.part(block, node_id, role, self.local_ids[node_id]) for block in blocks]
        return self.sendable(parts, as_images=as_images, withheld=withheld)

    def sendable(self, parts: list[Part], *, as_images: bool, withheld: Json | None) -> list[Part]:
        """ "image parts for models that accept them, else the placeholder"; the reason where one was due"""
        for part in parts:
            if part.image is None:
                continue
            if not self.dialogue or part.role != "user":
                part.image = None
            elif not as_images:
                part.image, part.described = None, "images_described"
            elif part.image["ref"] in (withheld or {}):
                why = (withheld or {})[part.image["ref"]]
                told = {"missing": "image_missing", "format": "image_format", "size": "image_too_large"}
                part.image, part.described = None, told[why]
        return [part for part in parts if part.text]

    def part(self, block: Json, node_id: str | None, role: str, local_id: str) -> Part:
        match block["type"]:
            case "image":
                name = block.get("altText") or ""
                name = name if name.strip() else local_id
                sent = {"type": "image", "ref": block["ref"], "mimeType": block["mimeType"], "altText": name}
                return Part(f"[image: {name}]", node_id, role, sent)
            case "audio":
                return Part(f"[audio: {local_id}]", node_id, role)
            case "tool_use":
                call = json.dumps(block["input"], ensure_ascii=False, sort_keys=True)
                return Part(f"[tool_use: {block['name']} {call}]", node_id, role)
        text: str = block["text"]
        return Part(text.strip() if self.dialogue else text, node_id, role)

    def cost(self, node_id: str) -> int:
        return sum(part.cost for part in self.parts(node_id))

    def directive(self, node_id: str) -> str:
        """What a node says as an instruction; "that is an image or blank": nothing."""
        content = self.nodes[node_id]["content"]
        if not isinstance(content, str) and content["type"] == "image":
            return ""
        between = "\n\n" if self.dialogue else ""
        return between.join(part.text for part in self.parts(node_id)).strip()
