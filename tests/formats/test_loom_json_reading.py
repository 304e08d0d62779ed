"""Loom JSON as people write it by hand: what is missing gets its default, what is unknown is kept."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.model.content import Text
from loomapp.core.model.hashes import verify
from loomapp.core.times import parse_time
from loomapp.formats.details import digests
from loomapp.formats.importer import Imported
from loomapp.formats.loom_json import read, write
from tests.kit.groves import chat_body
from tests.kit.loom_files import BODY, LEAST, PIXEL, PIXEL_NAME, chain, copy_of, everything

NOW = parse_time("2026-12-01T00:00:00.000Z")
DOCUMENT = Path(__file__).parents[2] / "loomapp" / "formats" / "README.md"


def reading(value: Any, **options: Any) -> Imported:
    return read(json.dumps(value), now=NOW, **options)


def test_the_least_a_file_needs_is_enough() -> None:
    imported = reading(LEAST, tree_id="T")

    tree = imported.tree
    assert (tree.loom.id, tree.loom.title, tree.root_id) == ("T", "Why is the sky blue?", "n1")
    assert tree.children("n1") == ("n2",)
    assert tree.path.leaf_id == "n2"
    assert [(a.id, a.type, a.name) for a in imported.agents] == [
        ("human", "human", "Human"),
        ("model", "model", "Model"),
    ]
    assert {node.author_agent_id for node in tree.nodes.values()} == {"human", "model"}
    assert [node.created_at for node in tree.nodes.values()] == [NOW, NOW]


def test_the_document_s_own_example_is_a_file() -> None:
    example = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)[0]

    assert list(read(example).tree.nodes) == ["n1", "n2"]


def test_hashes_are_made_at_import_and_verify() -> None:
    imported = reading(chain("a", "b", "c"))

    verdicts = [finding.verdict for finding in verify(imported.tree, digests(imported.evidence))]
    assert verdicts == ["ok", "no evidence", "ok"]
    nodes = imported.tree.nodes
    assert nodes["n3"].parent_hashes == (nodes["n2"].content_hash,)


def test_hashes_take_the_parents_listed_after_their_children_too() -> None:
    value = chain("a", "b", "c")
    value["nodes"].reverse()
    value["tree"]["rootNodeId"] = "n1"

    imported = reading(value)

    assert {f.verdict for f in verify(imported.tree, {})} == {"ok", "no evidence"}


def test_a_model_node_s_hash_covers_the_response_in_the_file() -> None:
    imported = reading(everything())

    verdicts = {f.node_id: f.verdict for f in verify(imported.tree, digests(imported.evidence))}
    assert set(verdicts.values()) == {"ok"}
    without = {f.node_id: f.verdict for f in verify(imported.tree, {})}
    assert (without["n2"], without["n3"], without["n1"]) == ("no evidence", "no evidence", "ok")


def test_a_version_made_later_is_no_parent_of_what_was_there_before() -> None:
    value = chain("a", "b", "c")
    for i, node in enumerate(value["nodes"]):
        node["createdAt"] = f"2026-01-0{i + 1}T00:00:00Z"
    version = {"id": "v", "content": "B", "authorType": "human", "editedFrom": "n2"}
    value["nodes"].append({**version, "createdAt": "2026-02-01T00:00:00Z"})
    value["edges"][1]["sources"].append("v")
    value["edges"].append({"sources": ["n1"], "targetNodeId": "v"})

    nodes = reading(value).tree.nodes

    assert nodes["n3"].parent_hashes == (nodes["n2"].content_hash,)


def test_siblings_of_one_exchange_share_it() -> None:
    imported = reading(everything())

    evidence, of_summaries = imported.evidence
    assert not of_summaries.choices
    assert dict(evidence.choices) == {"n3": 1, "n2": 0}
    assert evidence.body == chat_body("Hello!", "Hi.")
    assert evidence.extra == {"k": "unknown"}


def test_the_bytes_of_a_response_are_kept_as_they_are() -> None:
    written = write(reading(everything()).tree, (), reading(everything()).evidence)

    bodies = {entry["bodyGzipBase64"] for entry in json.loads(written)["responses"]}
    assert bodies == {BODY}


@pytest.mark.parametrize(
    ("sources", "root"),
    [
        ([{"nodeId": "n1", "role": "context"}, "n2"], "n2"),
        ([{"nodeId": "n1", "role": "instruction"}, "n2"], "n2"),
        (["n1", {"nodeId": "n2", "role": "context"}], "n1"),
        ([{"nodeId": "n1", "role": "context"}, "n1"], "n1"),
    ],
)
def test_a_root_is_no_mere_context_or_instruction_source(sources: list[Any], root: str) -> None:
    value = chain("a", "b", "c")
    value["edges"] = [{"sources": sources, "targetNodeId": "n3"}]

    assert reading(value).tree.root_id == root


def test_an_annotated_note_is_no_root() -> None:
    value = chain("a", "b")
    value["nodes"].reverse()
    value["edges"] = [{"sources": ["n1"], "targetNodeId": "n2", "edgeType": "annotation"}]

    assert reading(value).tree.root_id == "n1"


def test_local_ids_are_the_same_on_every_import_and_never_shared() -> None:
    value = chain("a", "b", "c")
    taken = reading(value).tree.nodes["n1"].local_id
    value["nodes"][2]["localId"] = taken.lower()

    nodes = reading(value).tree.nodes

    assert len(taken) == 6
    assert nodes["n3"].local_id == taken.lower()
    assert nodes["n1"].local_id.startswith(taken)
    assert len(nodes["n1"].local_id) == 7


def test_agents_that_nodes_name_are_made_and_typed_by_what_they_wrote() -> None:
    value = chain("a", "b")
    value["agents"] = [{"id": "me", "name": "Me"}]
    value["nodes"][0]["authorAgentId"] = "me"
    value["nodes"][1]["authorAgentId"] = "it"

    agents = {agent.id: (agent.type, agent.name) for agent in reading(value).agents}

    assert agents == {"me": ("human", "Me"), "it": ("model", "it")}


def test_a_default_author_is_not_taken_for_a_stranger_of_the_same_name() -> None:
    value = chain("a")
    value["agents"] = [{"id": "human", "name": "A model called human", "type": "model"}]

    imported = reading(value)

    assert imported.tree.nodes["n1"].author_agent_id == "human-2"


def test_an_author_of_the_wrong_kind_is_warned_of() -> None:
    value = chain("a")
    value["agents"] = [{"id": "m", "name": "M", "type": "model"}]
    value["nodes"][0]["authorAgentId"] = "m"

    assert len(reading(value).warnings) == 1


def test_a_byte_order_mark_is_skipped() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(LEAST).encode()

    assert list(read(data).tree.nodes) == ["n1", "n2"]


def test_media_come_as_bytes() -> None:
    assert reading(everything()).media == {PIXEL_NAME: PIXEL}


def test_an_empty_root_gives_the_tree_the_title_it_is_offered() -> None:
    value = copy_of(LEAST)
    value["nodes"][0]["content"] = ""

    assert reading(value, untitled="Loom Tree 7").tree.loom.title == "Loom Tree 7"


def test_white_space_and_odd_characters_are_kept() -> None:
    text = " \t a\r\nb \u00a0\u202e\u0000 🧵 "
    node = reading(chain(text)).tree.nodes["n1"]

    assert node.content == Text(text)


def test_leniently_the_damage_of_a_tree_is_let_through() -> None:
    value = chain("a", "b", "c")
    value["edges"] += [
        {"id": "x", "sources": ["n3"], "targetNodeId": "n1"},
        {"id": "x", "sources": ["gone"], "targetNodeId": "n3"},
        {"sources": [], "targetNodeId": "nowhere"},
    ]
    value["activePath"] = {"leafNodeId": "gone"}
    value["includedAnnotations"] = ["gone"]
    value["nodes"][0]["contentHash"] = "…"

    tree = reading(value, lenient=True).tree

    assert len(tree.edges) == 5
    assert len(tree.incoming("n3")) == 2
    assert tree.root_id == "n1"


@pytest.mark.parametrize("count", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_long_chain_is_read_without_recursion(count: int) -> None:
    nodes = [{"id": f"n{i}", "content": "x", "authorType": "human"} for i in range(count)]
    edges = [{"sources": [f"n{i}"], "targetNodeId": f"n{i + 1}"} for i in range(count - 1)]
    value = {"format": "loom-json", "version": 1, "tree": {"mode": "buffer"}, "nodes": nodes, "edges": edges}

    tree = reading(value).tree

    assert len(tree.nodes) == count
    assert tree.path.leaf_id == f"n{count - 1}"
    assert tree.nodes[f"n{count - 1}"].parent_hashes == (tree.nodes[f"n{count - 2}"].content_hash,)


def test_the_worked_hashes_of_the_document_are_those_of_the_program() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    worked = [_bytes_of(block) for block in re.findall(r"```text\n(0000.*?)```", text, re.DOTALL)]
    told = re.findall(r"these (\d+) bytes: `([0-9a-f]{64})`", text)
    value = chain("Hi", "Hello!")
    value["agents"] = [{"id": "a0", "type": "human"}, {"id": "a1", "type": "model"}]
    for i, node in enumerate(value["nodes"]):
        node |= {"authorAgentId": f"a{i}", "createdAt": f"2026-11-21T12:00:0{i}.000Z"}
    body = everything()["responses"][0] | {"nodeId": "n2", "choiceIndex": 0}
    value["responses"] = [body | {"bodyGzipBase64": "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="}]

    nodes = reading(value).tree.nodes

    assert [(str(len(data)), hashlib.sha256(data).hexdigest()) for data in worked] == told
    assert [nodes["n1"].content_hash, nodes["n2"].content_hash] == [digest for _, digest in told]


def _bytes_of(block: str) -> bytes:
    lines = (re.match(r"([0-9a-f]{16})(?: ([0-9a-f]+))?", line) for line in block.strip().splitlines())
    return b"".join(bytes.fromhex(line[1] + (line[2] or "")) for line in lines if line)
