"""What is said to go out as one message does."""

from __future__ import annotations

import itertools

from hypothesis import assume, given
from hypothesis import strategies as st

from loomapp.core.context.assembly import ContextRequest, assemble
from loomapp.core.context.merging import merged_with
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
