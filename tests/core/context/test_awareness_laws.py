"""The laws of a loom-aware agent's context, over random trees and requests."""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from loomapp.core.context.assembly import Assembled, assemble
from loomapp.core.context.awareness import AwareAgent, RunExchange
from loomapp.core.context.messages import ImagePart
from loomapp.core.context.request import ContextRequest
from loomapp.core.errors import AssemblyError
from loomapp.core.model.tree import Tree
from loomapp.core.text.token_counts import estimate
from tests.core.context.test_laws import CASES, LAW, told

AGENT = AwareAgent("a2", ("loom_write",))
STEPS = (RunExchange("→ tree", "→ tree\n…"), RunExchange("Hm.\n→ help", "→ help\n…"))
Case = tuple[Tree, ContextRequest]


def aware(case: Case, window: int = 100_000) -> Assembled:
    """The context of a case for an agent that sees the tree; those that have none are passed over."""
    tree, request = case
    try:
        return assemble(tree, replace(request, aware=AGENT, window=window))
    except AssemblyError:
        assume(False)
        raise


@LAW
@given(CASES, st.integers(1_200, 3_000))
def test_it_stays_in_budget_and_changes_nothing(case: Case, window: int) -> None:
    tree, _ = case
    before = told(tree)

    found = aware(case, window)

    report = found.report
    assert report.after_tokens <= report.available or report.over_limit
    assert told(tree) == before
    assert aware(case, window).messages == found.messages
    roles = [message.role for message in found.messages]
    assert all(one != other for one, other in itertools.pairwise(roles))


@LAW
@given(CASES)
def test_with_room_the_same_nodes_are_sent_and_all_of_it_is_counted(case: Case) -> None:
    tree, request = case
    found = aware(case)
    plain = assemble(tree, replace(request, window=100_000))

    assert found.report.kept == plain.report.kept
    assert found.report.dropped == plain.report.dropped
    if tree.loom.mode == "buffer":
        assert found.document == plain.document
        return
    assert found.awareness is not None
    bare = aware((tree, replace(request, provider_rules="none")))
    sent = sum(
        estimate(part.placeholder if isinstance(part, ImagePart) else part.text)
        for message in bare.messages
        for part in message.parts
    )
    assert bare.report.after_tokens == sent + estimate(bare.system or "")
    headed = [node_id for node_id in found.report.kept if f"[{tree.nodes[node_id].local_id}] " in _all(found)]
    assert headed == list(found.report.kept)


@LAW
@given(CASES)
def test_a_step_leaves_all_before_it_as_it_was(case: Case) -> None:
    tree, request = case
    assume(tree.loom.mode == "dialogue" and request.provider_rules != "anthropic-prefill")
    if request.provider_rules == "none":
        request = replace(request, provider_rules="openai")
    first = aware((tree, request))
    assert first.awareness is not None

    after = replace(first.awareness, exchanges=STEPS)
    second = assemble(tree, replace(request, window=100_000, aware=after))

    assert second.messages[: len(first.messages)] == first.messages
    assert [one.text for one in second.messages[len(first.messages) :]] == [
        text for step in STEPS for text in step
    ]


def _all(found: Assembled) -> str:
    return "\n".join(message.text for message in found.messages)
