"""The words for what an assembly reports by code: no code is ever shown as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from loomapp.core.context.assembly import assemble
from loomapp.core.context.outcomes import Fate
from loomapp.core.context.provider_rules import Adjustment
from loomapp.core.context.report import Warned, WarningCode
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.units import Reason
from loomapp.core.model.hashes import Finding, Verdict
from loomapp.core.model.raw_response import Evidence
from loomapp.core.sent.replay import Difference, Replay
from loomapp.ui.inspector.node.past_context import PastContext
from loomapp.ui.widgets.words.context_words import (
    REASON_ICONS,
    adjustment_words,
    infos,
    reason_words,
    remedy_words,
    verdict_words,
    warning_words,
)
from loomapp.ui.widgets.words.outcome_words import fate_words
from tests.core.economy.trees import asked, with_summary
from tests.kit.trees import chain
from tests.kit.written_trees import edge, node
from tests.kit.written_trees import tree as written_tree

CODES = [*get_args(Reason), *get_args(Adjustment), *get_args(WarningCode), *get_args(Verdict)]


def is_sentence(words: str) -> bool:
    return words[:1].isupper() or words[:1] == "“"


@pytest.mark.parametrize("code", get_args(Adjustment))
def test_every_change_for_a_model_is_told_in_a_sentence(code: Adjustment) -> None:
    words = adjustment_words(code)

    assert is_sentence(words)
    assert words.endswith(".")
    assert "_" not in words


@pytest.mark.parametrize("code", get_args(WarningCode))
@pytest.mark.parametrize("count", [1, 3])
def test_every_warning_is_told_in_a_sentence_of_its_own(code: WarningCode, count: int) -> None:
    tree, _ = chain(1)

    words = warning_words(Warned(code, "", count), tree)

    assert words.endswith(".")
    assert "_" not in words
    others = [other for other in get_args(WarningCode) if other != code]
    assert words not in [warning_words(Warned(other, "", count), tree) for other in others]


@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_to_leave_a_node_out_has_words_and_an_icon(reason: Reason) -> None:
    assert reason_words(reason)
    assert "_" not in reason_words(reason)
    assert REASON_ICONS[reason]
    assert "_" not in remedy_words(reason)


@pytest.mark.parametrize("fate", [fate for part in get_args(Fate) for fate in (get_args(part) or [part])])
def test_every_fate_of_a_node_has_words(fate: Fate) -> None:
    tree, ids = chain(1)

    told = fate_words(tree, tree.nodes[ids[0]], fate, None, on_path=True)

    assert is_sentence(told.words)
    assert "_" not in told.words


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_every_verdict_is_told_in_a_sentence(verdict: Verdict) -> None:
    words = verdict_words(Finding("id", "A1B2C3", verdict, "the hash does not fit"), is_model=True)

    assert is_sentence(words)


def test_a_dialogue_for_a_model_that_continues_texts_is_told_of_in_words() -> None:
    tree, ids = chain(2)
    written_out = assemble(tree, ContextRequest(at=ids[-1])).as_transcript()

    told = [said.text for said in infos(written_out, tree)]

    assert any("as one text" in words for words in told)
    assert not [words for words in told if any(code in words for code in CODES if "_" in code)]


def test_what_is_attached_again_and_stands_in_a_summary_is_warned_of() -> None:
    rows = [*(node(f"n{number}", "a") for number in range(1, 8)), node("s", "S"), node("t", "T")]
    edges = [edge(f"n{number}", f"n{number - 1}", *(["s context"] * (number == 2))) for number in range(2, 8)]
    subject = written_tree(rows, edges)
    with_summary(subject, "n2")
    request = ContextRequest("n7", context_ids=("s", "t"))

    told = list(infos(asked(subject, "n7", request=request, use_summaries=True), subject))
    before = infos(asked(subject, "n7", request=request), subject)

    assert [(said.node_id, said.tone) for said in told] == [("s", "warning")]
    assert "a summary now covers" in told[0].text
    assert list(before) == []


def test_a_variant_is_compared_with_the_tree_now_and_nothing_is_said_to_have_changed_since() -> None:
    tree, ids = chain(2)
    found = (
        Difference("excluded", (ids[0],)),
        Difference("setting", name="token_buffer", then=200, now=300),
    )
    past = PastContext(
        tree.nodes[ids[1]],
        "Terse",
        Evidence(id="e", provider="fake", request_body="{}", body_gzip=b""),
        Replay(False, found, None, None),
        "A",
    )
    name = tree.nodes[ids[0]].local_id

    words = past.sentence(tree)

    assert "It was tried as the variant “A” of the tree." in words
    assert (
        f"differs from the variant: {name} is excluded now; the room for the answer is 300 now, in" in words
    )
    assert "since" not in words
    assert "the room for the answer was 200 and is 300" in replace(past, variant=None).sentence(tree)
