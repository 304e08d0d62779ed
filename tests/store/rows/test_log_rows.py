"""The seal of a node in the change log is the digest that it always was: of canonical JSON, whole."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loomapp.core.json_values import Json
from loomapp.core.model.content import Content, Image, Mixed, Text, content_to_json
from loomapp.core.model.entities import Edge, EdgeSource, Interrupted, Node
from loomapp.core.model.hashes import LONG, canonical_json
from loomapp.store.rows.log_rows import edge_in_short, edge_state, in_short, seal, target_of

EXTRA: st.SearchStrategy[Json] = st.just({}) | st.just({"kept": 1})

CONTENTS = (
    Text('Said “so” \\ \n\u2028 \x00 "quoted" 👩‍👩‍👧'),
    Text("with more", {"foreign": [1, None]}),
    Text("😀 long " * LONG),
    Mixed((Text("a"), Image("0" * 64, "image/png"))),
)


@pytest.mark.parametrize("content", CONTENTS, ids=["short", "foreign", "long", "mixed"])
def test_a_seal_covers_all_that_never_changes(content: Content) -> None:
    node = Node("n1", "N1", content, "human", "you", 5, content_hash="cd", parent_hashes=("ab",))
    node = replace(node, edited_from="n0", interrupted=Interrupted("crash"))
    whole = [
        content_to_json(content), "N1", "human", "you", 5, "cd", ["ab"], "n0", {"reason": "crash"}, {}
    ]  # fmt: skip
    digest = blake2b(canonical_json(whole), digest_size=12).hexdigest()

    assert seal(node) == seal(node) == digest


@given(
    local_id=st.text(),
    author=st.none() | st.text(),
    at=st.integers(-(2**60), 2**60),
    hash_=st.text(),
    parents=st.lists(st.text(), max_size=3),
)
@example(local_id='"\\\x00\x7f\u2028\ud800', author="\n", at=-1, hash_="é", parents=["😀", ""])
def test_the_seal_of_a_node_as_nearly_all_are_is_that_of_any_node(
    local_id: str, author: str | None, at: int, hash_: str, parents: list[str]
) -> None:
    node = Node("n1", local_id, Text("said"), "model", author, at, hash_, tuple(parents))
    whole = [content_to_json(node.content), local_id, "model", author, at, hash_, parents, None, None, {}]

    assert seal(node) == blake2b(canonical_json(whole), digest_size=12).hexdigest()


SOURCES = st.lists(
    st.builds(EdgeSource, st.sampled_from("ab"), st.sampled_from(("primary", "context")), EXTRA), max_size=2
)
EDGES = st.builds(
    Edge,
    st.just("e1"),
    SOURCES.map(tuple),
    st.sampled_from("ab"),
    st.sampled_from(("continuation", "annotation")),
    st.integers(0, 1),
    EXTRA,
)


@given(EDGES, EDGES)
def test_two_edges_are_the_same_in_short_if_they_are_so_in_full(one: Edge, other: Edge) -> None:
    in_full = edge_state(one) == edge_state(other)

    assert (in_short(edge_state(one)) == edge_in_short(other)) == in_full
    assert (edge_in_short(one) == edge_in_short(other)) == in_full
    assert target_of(edge_in_short(one)) == one.target_id


@pytest.mark.parametrize(
    "state",
    [
        {"id": "e1", "from": "a", "to": "b", "at": 0},
        {"id": "e1", "from": [["a", "primary"]], "to": "b", "at": 0},
        {"id": "e1", "from": ["a", "a"], "to": "b", "at": 0},
        {"id": "e1", "from": ["a"], "to": "b", "at": 0, "extra": {}},
        {"id": "e1", "from": ["a"], "to": "b", "type": "continuation"},
        {"id": "e1", "from": [], "to": "b", "at": 0},
    ],
)
def test_what_another_hand_wrote_of_an_edge_is_not_taken_for_it(state: Json) -> None:
    assert in_short(state) != edge_in_short(Edge("e1", (EdgeSource("a"),), "b"))
