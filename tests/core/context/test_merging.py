"""What is said to go out as one message does."""

from __future__ import annotations

import itertools

from hypothesis import assume, given
from hypothesis import strategies as st

from loomapp.core.context.assembly import ContextRequest, assemble
from loomapp.core.context.merging import merged_over_gap, merged_with
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.paths import resolve
from tests.core.context.building import chain, node
from tests.core.context.test_laws import CASES, LAW, Case, assembled


@LAW
@given(CASES)
def test_what_is_said_to_be_merged_is_in_one_message(case: Case) -> None:
    result = assembled(case)
    tree, request = case
    assume(not request.context_ids)  # they belong to a message that is not written yet
    path = resolve(tree, request.at, request.selections).node_ids

    for place in range(len(path)) if result.mode == "dialogue" else ():
        before = merged_with(tree, path, place, result.fates)
        if before is not None:
            assert any({before, path[place]} <= {*message.node_ids} for message in result.messages)


@LAW
@given(CASES)
def test_what_is_said_to_be_merged_over_a_gap_is_in_one_message(case: Case) -> None:
    result = assembled(case)
    tree, request = case
    assume(not request.context_ids)
    assume(result.mode == "dialogue" and result.report.strategy == "truncateMiddle")
    path = resolve(tree, request.at, request.selections).node_ids
    fates = [result.fates.get(node_id, "sent") for node_id in path]

    for place in range(1, len(path)):
        gap = place
        while gap > 0 and fates[gap - 1] != "sent":
            gap -= 1
        if fates[place] == "sent" and "truncated" in fates[gap:place]:
            before = merged_over_gap(tree, path, gap, place, result.fates)
            together = gap > 0 and any({path[gap - 1], path[place]} <= {*m.node_ids} for m in result.messages)
            assert (before is not None) == together


def test_a_persons_messages_before_and_behind_the_marker_are_one() -> None:
    words = [("a", "human"), ("b", "model"), ("c", "human"), ("d", "human")]
    tree = chain(*(node(name, name * 400, author) for name, author in words))  # type: ignore[arg-type]
    settings = AppContextSettings("truncateMiddle", 1, 10)
    result = assemble(tree, ContextRequest("d", window=260, defaults=settings))

    path = [name for name, _ in words]
    assert [result.fates[name] for name in path] == ["sent", "truncated", "truncated", "sent"]
    assert merged_over_gap(tree, path, 1, 3, result.fates) == "a"
    assert merged_with(tree, path, 3, result.fates) is None


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
        assert merged_with(tree, names, names.index(name), result.fates) == wanted
    for name in names:
        if name not in kept:
            assert merged_with(tree, names, names.index(name), result.fates) is None
