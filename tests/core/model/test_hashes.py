"""What a content hash covers, byte for byte, and what verification says of each node."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from loomapp.core.edits import edit_context, node_edits
from loomapp.core.model.content import AttachedDocument, Image, Mixed, Text
from loomapp.core.model.entities import EdgeSource, Interrupted, Metadata, Node
from loomapp.core.model.hashes import (
    LONG,
    Finding,
    ResponseDigest,
    canonical_content,
    canonical_json,
    content_hash,
    verify,
)
from loomapp.core.model.tree import Tree
from tests.kit.trees import Hand, chain, do

AT = 1_795_262_400_000  # 2026-11-21T12:00:00.000Z


def length(number: int) -> bytes:
    return number.to_bytes(8, "big")


def field(data: bytes) -> bytes:
    return length(len(data)) + data


def test_a_worked_hash_of_a_human_node() -> None:
    """Text “Hi”, no parents, 2026-11-21 12:00 UTC, written by a0."""
    by_hand = (
        b"\x00\x00\x00\x00\x00\x00\x00\x1b" + b'{"text":"Hi","type":"text"}'
        b"\x00\x00\x00\x00\x00\x00\x00\x00"  # no parents
        b"\x00\x00\x00\x00\x00\x00\x00\x18" + b"2026-11-21T12:00:00.000Z"
        b"\x00\x00\x00\x00\x00\x00\x00\x02" + b"a0"
    )
    literal = "b93ca8115e471d061c8e49974200ac736d3b909515b06aa8a9b71d9f39a0fe7b"

    node = Node("n1", "N1", Text("Hi"), "human", "a0", AT)

    assert hashlib.sha256(by_hand).hexdigest() == literal
    assert content_hash(node) == literal


def test_a_worked_hash_of_a_model_node_with_two_parents_and_a_response() -> None:
    """Umlaut and emoji are UTF-8, not escapes; parents come sorted; choice 2 of a response body."""
    body = b'data: {"choices":[]}\n\n'
    by_hand = (
        field('{"text":"Grüße 🌲\\n","type":"text"}'.encode())
        + length(2)
        + field(bytes.fromhex("0" * 63 + "1"))
        + field(bytes.fromhex("f" * 64))
        + field(b"2026-11-21T12:00:00.007Z")
        + field(b"m1")
        + field(hashlib.sha256(body).digest())
        + field(b"2")
    )
    literal = "b23330b767d8d58d3edc9739ac13cb18dc8873cc1f983046817bb8f5cb93813d"

    parents = ("f" * 64, "0" * 63 + "1")
    node = Node("n2", "N2", Text("Grüße 🌲\n"), "model", "m1", AT + 7, parent_hashes=parents)
    digest = ResponseDigest(hashlib.sha256(body).digest(), 2)

    assert hashlib.sha256(by_hand).hexdigest() == literal
    assert content_hash(node, digest) == literal


def test_a_model_node_without_a_response_hashes_two_empty_fields() -> None:
    node = Node("n", "N", Text(""), "model", None, 0)
    by_hand = field(b'{"text":"","type":"text"}') + length(0) + field(b"1970-01-01T00:00:00.000Z")

    assert content_hash(node) == hashlib.sha256(by_hand + length(0) * 3).hexdigest()


def test_content_of_every_shape_is_hashed_as_its_json_with_sorted_keys() -> None:
    blocks = (
        AttachedDocument("a.txt", "text/plain", "x"),
        Image("r", "image/png", 1, None, extra={"b": {"d": 1, "c": 2}}),
    )
    node = Node("n", "N", Mixed(blocks, {"a": None}), "human", "a0", 0)
    json_text = (
        b'{"a":null,"blocks":[{"mimeType":"text/plain","name":"a.txt","text":"x","type":"document"},'
        b'{"b":{"c":2,"d":1},"height":null,"mimeType":"image/png","ref":"r","type":"image","width":1}],'
        b'"type":"mixed"}'
    )
    by_hand = field(json_text) + length(0) + field(b"1970-01-01T00:00:00.000Z") + field(b"a0")

    assert content_hash(node) == hashlib.sha256(by_hand).hexdigest()


def test_what_may_change_and_names_are_no_part_of_the_hash() -> None:
    node = Node("n", "N", Text("x"), "human", "a0", 0)
    other = replace(
        node,
        id="m",
        local_id="M",
        summary="s",
        metadata=Metadata(True, "l", True, True),
        edited_from="z",
        interrupted=Interrupted("crash"),
        extra={"k": 1},
    )

    assert content_hash(other) == content_hash(node)


@pytest.mark.parametrize(
    "change",
    [
        {"content": Text("y")},
        {"created_at": 1},
        {"author_agent_id": "a1"},
        {"author_type": "model"},
        {"parent_hashes": ("0" * 64,)},
    ],
)
def test_everything_else_is(change: dict[str, object]) -> None:
    node = Node("n", "N", Text("x"), "human", "a0", 0)

    assert content_hash(replace(node, **change)) != content_hash(node)  # type: ignore[arg-type]


def test_fields_cannot_run_into_each_other() -> None:
    node = Node("n", "N", Text("x"), "human", "ab", 0)

    assert content_hash(node) != content_hash(replace(node, author_agent_id="a"))
    assert content_hash(replace(node, parent_hashes=("00" * 32,))) != content_hash(
        replace(node, parent_hashes=("00" * 32, "00" * 32))
    )


def of(tree: Tree, node_id: str, moved: frozenset[str] = frozenset()) -> Finding:
    return next(f for f in verify(tree, {}, moved=moved) if f.node_id == node_id)


def test_a_tree_made_by_edits_verifies_and_each_node_gets_one_finding() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    do(tree, node_edits.edit_as_sibling(tree, ids[1], "other", hand.pen()))
    do(tree, node_edits.annotate(tree, ids[1], "a note", hand.pen()))

    found = verify(tree, {})

    assert [f.node_id for f in found] == list(tree.nodes)
    assert {f.verdict for f in found} == {"ok"}


def test_a_changed_text_fails_where_it_is_and_nowhere_else() -> None:
    tree, ids = chain(3)
    tree.put_node(replace(tree.nodes[ids[1]], content=Text("forged")))

    assert {f.node_id for f in verify(tree, {}) if f.verdict == "failed"} == {ids[1]}


def test_a_changed_text_with_its_hash_made_to_fit_fails_in_what_hangs_on_it() -> None:
    tree, ids = chain(3)
    forged = replace(tree.nodes[ids[1]], content=Text("forged"))
    tree.put_node(replace(forged, content_hash=content_hash(forged)))

    assert {f.node_id for f in verify(tree, {}) if f.verdict == "failed"} == {ids[2]}


def test_a_version_added_to_an_edge_later_breaks_nothing_below() -> None:
    hand = Hand()
    tree, ids = chain(3, mode="buffer", hand=hand)
    version = do(tree, node_edits.edit_as_sibling(tree, ids[0], "better", hand.pen())).added_nodes()[0]
    edge = tree.incoming(ids[1])[0]
    tree.put_edge(replace(edge, sources=(*edge.sources, EdgeSource(version.id))))

    assert {f.verdict for f in verify(tree, {})} == {"ok"}


def test_another_parent_fails_unless_the_move_was_recorded() -> None:
    tree, ids = chain(3)
    edge = tree.incoming(ids[2])[0]
    tree.put_edge(replace(edge, sources=(EdgeSource(ids[0]),)))

    assert of(tree, ids[2]).verdict == "failed"
    assert of(tree, ids[2], moved=frozenset([ids[2]])).verdict == "moved"


def test_a_node_that_denies_its_parents_fails() -> None:
    tree, ids = chain(2)
    orphan = replace(tree.nodes[ids[1]], parent_hashes=())
    tree.put_node(replace(orphan, content_hash=content_hash(orphan)))

    assert of(tree, ids[1]).verdict == "failed"


def test_parent_hashes_that_are_none_are_said_to_be_none() -> None:
    tree, ids = chain(2)
    tree.put_node(replace(tree.nodes[ids[1]], parent_hashes=("not a hash",)))

    assert of(tree, ids[1]).reason == "its parent hashes are not hashes"


def test_a_model_node_is_ok_only_with_the_very_response_and_choice() -> None:
    hand = Hand()
    tree, ids = chain(1, hand=hand)
    pen = edit_context.EditContext("m1", 5, hand.new_id, author_type="model")
    node = do(tree, node_edits.add_node(tree, ids[0], "said", pen)).added_nodes()[0]
    assert of(tree, node.id).verdict == "no evidence"

    right = ResponseDigest(hashlib.sha256(b"body").digest(), 1)
    tree.put_node(replace(node, content_hash=content_hash(node, right)))

    def verdict(digest: ResponseDigest) -> str:
        return verify(tree, {node.id: digest})[-1].verdict

    assert verdict(right) == "ok"
    assert verdict(right._replace(choice_index=0)) == "failed"
    assert verdict(right._replace(body_sha256=hashlib.sha256(b"Body").digest())) == "failed"
    assert of(tree, node.id).verdict == "no evidence", "it came without, so nothing is lost"
    (lost,) = (f for f in verify(tree, {}, answered=frozenset({node.id})) if f.node_id == node.id)
    assert lost.verdict == "failed"
    assert "or its response is gone" in lost.reason


@pytest.mark.parametrize(
    "text", ["", "plain", 'quotes " and \\', "\x00\x1f\x7f\n\t", "\u2028 ö — 🧵", "half \ud83e", "</script>"]
)
def test_the_short_way_to_a_plain_text_is_the_canonical_one(text: str) -> None:
    node = Node("n1", "N1", Text(text), "human", "a0", AT)

    covered = field(canonical_json({"type": "text", "text": text})) + length(0)
    covered += field(b"2026-11-21T12:00:00.000Z") + field(b"a0")

    assert content_hash(node) == hashlib.sha256(covered).hexdigest()


def test_a_long_text_is_written_down_as_a_short_one() -> None:
    signs = "".join(map(chr, range(128))) + "\u2028 ö — 🧵 half \ud83e"
    text = signs * (LONG // len(signs) + 1)

    written = canonical_content(Text(text))

    assert written == canonical_json({"type": "text", "text": text})
    assert canonical_content(Text(text[1:])) == canonical_json({"type": "text", "text": text[1:]})
