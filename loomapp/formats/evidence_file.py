"""Evidence files: Loom JSON with all responses and a seal, so that any changed byte can be named anywhere.

The last key of the file is `seal`: a SHA-256 of all bytes before it, and one of the canonical JSON of every
row. It shows that a file is as it was written, not who wrote it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import ActivePath, IncludedAnnotations
from loomapp.core.model.hashes import Finding, ResponseDigest, canonical_json, verify, with_reasons
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import compared
from loomapp.core.response_text.summaries import summary_faults
from loomapp.formats import loom_json
from loomapp.formats.json_text import parse

SEAL = b',\n "seal": '
SEAL_KEYS = frozenset({"file", "rows", "chain"})
CHAIN = "the chain of its grove"  # its place among the rows
ROWS = (
    "agents",
    "nodes",
    "edges",
    "tags",
    "links",
    "branchSummaries",
    "contextSummaries",
    "agentMemory",
    "responses",
)
ID_KEYS = ("id", "nodeId", "anchorNodeId", "name", "fromNodeId", "agentId")


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a file: a tree and all it rests on, or a part of it, which ends at the node `of`."""

    tree: Tree
    agents: tuple[Agent, ...]
    evidence: tuple[Evidence, ...]
    media: Mapping[str, bytes] | None = None
    of: str | None = None

    def above(self, node_id: str) -> Contents:
        """Return only a node and all that it was written under."""
        tree = above(self.tree, node_id)
        known = {agent.id: agent for agent in self.agents}
        media = self.media and {r: self.media[r] for r in loom_json.media_refs(tree) if r in self.media}
        return Contents(
            tree,
            tuple(known[name] for name in authors_of(tree) if name in known),
            tuple(one for one in self.evidence if not tree.nodes.keys().isdisjoint(one.choices)),
            media,
            node_id,
        )


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """The verification of a file: a finding for each node, and the places that the seal says were changed.

    `chain` is what the file says of its grove's change log, None if nothing.
    """

    tree: Tree
    agents: tuple[Agent, ...]
    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...]
    changed: tuple[str, ...]
    is_sealed: bool
    chain: object = None
    faults: tuple[str, ...] = ()  # of summaries

    @property
    def failed(self) -> bool:
        return bool(self.changed or self.faults) or any(
            finding.verdict == "failed" for finding in self.findings
        )


def write(contents: Contents, chain: Json | None = None) -> str:
    """A tree with its responses, sealed, and with the chain of its grove as far as the file is concerned."""
    text = loom_json.write(contents.tree, contents.agents, contents.evidence, contents.media)
    before = text.encode().removesuffix(b"}\n")
    seal: dict[str, Any] = {"file": _sha256(before), "rows": _row_hashes(cast(Json, json.loads(text)))}
    if chain is not None:
        seal["rows"] |= {CHAIN: _sha256(canonical_json(chain))}
        seal["chain"] = chain
    return (before + SEAL + json.dumps(seal, ensure_ascii=False).encode() + b"}\n").decode()


def check(data: bytes) -> EvidenceReport:
    """Verifies a Loom JSON file by itself, its seal too if it has one. Raises: InvalidInput."""
    imported = loom_json.read(data, lenient=True)
    known: dict[str, ResponseDigest] = {}
    faults: list[tuple[str, str]] = []
    for item in imported.evidence:
        if not item.choices:
            continue  # a summary alone rests on it
        found = compared(imported.tree, item, item.texts)
        known |= found.digests
        faults += found.faults
    hashed = verify(imported.tree, known, answered=frozenset(known))
    findings = with_reasons(hashed, faults)
    value = parse(data)
    seal = value.get("seal") if isinstance(value, dict) else None
    changed = () if seal is None else tuple(_changed(data, cast(Json, value), seal, imported.tree))
    chain = seal.get("chain") if isinstance(seal, dict) else None
    tree, agents, evidence = imported.tree, imported.agents, imported.evidence
    of_summaries = tuple(summary_faults(tree, evidence))
    return EvidenceReport(
        tree, agents, evidence, tuple(findings), changed, seal is not None, chain, of_summaries
    )


def _changed(data: bytes, value: Json, seal: object, tree: Tree) -> Iterator[str]:
    before, _, after = data.rpartition(SEAL)
    told = seal if isinstance(seal, dict) else {}
    if not told.keys() <= SEAL_KEYS:
        yield "the seal holds what no seal does"
    if not _is_in_order(value):
        yield "the order of the responses is not that of their nodes"
    media, shown = value.get("media"), loom_json.media_refs(tree)
    for ref in media if isinstance(media, dict) else ():
        if ref not in shown:
            yield f"media.{ref} is shown by no node"
    rows = told.get("rows")
    said: Json = rows if isinstance(rows, dict) else {}
    here = _row_hashes({name: row for name, row in value.items() if name != "seal"})
    if "chain" in told:
        here[CHAIN] = _sha256(canonical_json(told["chain"]))
    places = [place for place in {**said, **here} if said.get(place) != here.get(place)]
    for place in places:
        what = "is not as it was written" if place in said and place in here else "was added or is missing"
        yield f"{place} {what}"
    spelled = json.dumps(seal, ensure_ascii=False).encode() + b"}\n"
    if not places and (told.get("file") != _sha256(before) or after != spelled):
        yield "the file is not as it was written, although every row says the same"


def _is_in_order(value: Json) -> bool:
    """True if the responses come in the order of their nodes, as they are written."""
    nodes, responses = value.get("nodes"), value.get("responses")
    if not isinstance(nodes, list) or not isinstance(responses, list):
        return True
    place = {node["id"]: i for i, node in enumerate(nodes)}
    places = [place[response["nodeId"]] for response in responses]
    return places == sorted(places)


def _row_hashes(value: Json) -> dict[str, str]:
    """Place -> SHA-256, for each row of each list and for whatever else stands at the top."""
    hashes: dict[str, str] = {}
    for name, rows in value.items():
        if name in ROWS and isinstance(rows, list):
            hashes |= {
                f"{name}[{i}]{_named(row)}": _sha256(canonical_json(row)) for i, row in enumerate(rows)
            }
        elif name == "media" and isinstance(rows, dict):
            hashes |= {f"media.{key}": _sha256(canonical_json(row)) for key, row in rows.items()}
        else:
            hashes[name] = _sha256(canonical_json(rows))
    return hashes


def _named(row: object) -> str:
    found = (row.get(key) for key in ID_KEYS) if isinstance(row, dict) else ()
    name = next((one for one in found if isinstance(one, str)), None)
    return "" if name is None else f" ({name})"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def authors_of(tree: Tree) -> list[str]:
    """The agents that the nodes of a tree are of, in the order in which they first wrote."""
    return list(dict.fromkeys(node.author_agent_id for node in tree.nodes.values() if node.author_agent_id))


def above(tree: Tree, node_id: str) -> Tree:
    """The node, and whatever stands above it along edges of every kind."""
    wanted, waiting = {node_id}, [node_id]
    while waiting:
        for edge in tree.incoming(waiting.pop()):
            new = [s.node_id for s in edge.sources if s.node_id in tree.nodes and s.node_id not in wanted]
            wanted.update(new)
            waiting += new
    part = Tree(tree.loom)
    for node in tree.nodes.values():
        if node.id in wanted:
            part.put_node(node)
    for edge in tree.edges.values():
        if edge.target_id in wanted:
            part.put_edge(edge)
    part.path = ActivePath(node_id)
    part.included_annotations = IncludedAnnotations()
    return part
