"""What is said to go out as one message does."""

from __future__ import annotations

import itertools
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.context.assembly import assemble
from loomapp.core.context.outcomes import ShownFates, is_merged
from loomapp.core.context.plain_text import merged_with
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.paths.resolve import resolve
from tests.core.context.test_laws import CASES, LAW, Case, assembled
from tests.kit.written_trees import chain, edge, node
from tests.kit.written_trees import tree as written


@LAW
@given(CASES)
def test_a_message_is_said_to_be_merged_exactly_where_it_is_sent_in_one_with_one_before_it(
    case: Case,
) -> None:
    """Whatever stands between the two: sources of edges and of what is about to be sent, notes, a marker."""
    result = assembled(case)
    tree, request = case
    path = resolve(tree, request.at, request.selections).node_ids

    wanted: dict[str, str] = {}
    for message in result.messages:
        said = [name for name in path if name in message.node_ids]
        wanted.update(zip(said[1:], said, strict=False))

    assert {name: found for name in path if (found := merged_with(result, name))} == wanted
    whole = resolve(tree, request.at, request.selections)
    with_it = partial(merged_with, result)
    shown = ShownFates(tree.nodes, whole, result.fates, result.instructed, merged_with=with_it)
    sent = {name for message in result.messages for name in message.node_ids}
    if result.mode == "dialogue":
        assert {name for name in path if shown[name] == "sent"} - result.instructed == (
            sent.intersection(path) - result.instructed
        )
    assert {name for name in path if is_merged(shown, name)} == wanted.keys()
    elsewhere = ShownFates(tree.nodes, whole.beginning(1), result.fates, merged_with=with_it)
    assert {name for name in path if is_merged(elsewhere, name)} == wanted.keys(), "on the path and off it"


def test_what_is_attached_parts_a_models_messages() -> None:
    told = [node("a", "Words.", "human"), node("b", "Words.", "model"), node("c", "Words.", "model")]
    tree = written([*told, node("lore", "The tide turns.", "model")], [edge("b", "a"), edge("c", "b")])

    together = assemble(tree, ContextRequest("c"))
    parted = assemble(tree, ContextRequest("c", context_ids=("lore",)))

    assert merged_with(together, "c") == "b"
    assert [message.node_ids for message in parted.messages] == [("a",), ("b",), ("lore",), ("c",)]
    assert merged_with(parted, "c") is None


def test_a_persons_messages_before_and_behind_the_marker_are_one() -> None:
    words = [("a", "human"), ("b", "model"), ("c", "human"), ("d", "human")]
    tree = chain(*(node(name, name * 400, author) for name, author in words))  # type: ignore[arg-type]
    settings = AppContextSettings("truncateMiddle", 1, 10)
    result = assemble(tree, ContextRequest("d", window=260, defaults=settings))

    path = [name for name, _ in words]
    assert [result.fates[name] for name in path] == ["sent", "truncated", "truncated", "sent"]
    assert merged_with(result, "d") == "a"


@given(st.lists(st.tuples(st.sampled_from(["human", "model"]), st.booleans()), min_size=1, max_size=12))
def test_neighbours_of_one_role_are_merged_over_what_is_excluded(rows: list[tuple[str, bool]]) -> None:
    names = [f"n{number}" for number in range(len(rows))]
    told = [
        node(name, "words", author, excluded=excluded)  # type: ignore[arg-type]
        for name, (author, excluded) in zip(names, rows, strict=True)
    ]
    if all(excluded for _, excluded in rows):
        return
    tree = chain(*told)
    result = assemble(tree, ContextRequest(names[-1], window=10_000))
    sent = {}
    for number, message in enumerate(result.messages):
        sent.update(dict.fromkeys(message.node_ids, number))

    kept = [name for name in names if name in sent]
    for before, name in itertools.pairwise(kept):
        wanted = before if sent[before] == sent[name] else None
        assert merged_with(result, name) == wanted
    for name in names:
        if name not in kept:
            assert merged_with(result, name) is None
