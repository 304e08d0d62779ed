"""The text after the caret: how much of it goes along, what it costs, and that it can be sent again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.context.assembly import Assembled, assemble, to_json
from loomapp.core.context.request import ContextRequest
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for, request_for
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import Model, assembled_from, inputs_of
from loomapp.core.sent.record import digest_of, from_json, record_of
from loomapp.core.sent.record import to_json as record_to_json
from loomapp.core.sent.replay import replay
from tests.kit.written_trees import node, tree

FILLS = Model(context_window=10_000, fills_in=True)
ASKER = Agent("m", "Base", "model", model_ref="there:base")


def story(length: int = 400) -> Tree:
    return tree([node("a", "x" * length)], mode="buffer")


def sent(suffix: str, *, window: int, length: int = 400, strategy: str = "truncateMiddle") -> Assembled:
    overrides = ContextSettings(truncation_strategy=strategy, token_buffer=24)
    return assemble(story(length), ContextRequest("a", window=window, overrides=overrides, suffix=suffix))


def test_what_follows_goes_along_as_it_stands_and_is_counted() -> None:
    assembled = sent(" and so it ended.\n", window=1024)

    assert assembled.document == "x" * 400
    assert assembled.suffix is not None
    assert assembled.suffix.text == " and so it ended.\n"
    assert assembled.report.after_tokens == assembled.report.before_tokens == 100 + 5
    assert to_json(assembled)["suffix"] == {"text": " and so it ended.\n", "tokens": 5, "droppedChars": 0}
    assert not assembled.report.truncated


def test_without_it_nothing_is_said_of_it() -> None:
    assert "suffix" not in to_json(sent("", window=1024))


def test_it_has_what_the_text_before_leaves_and_a_quarter_at_least() -> None:
    roomy = sent("y" * 2_000, window=24 + 400)
    narrow = sent("y" * 2_000, window=24 + 120)

    assert roomy.suffix is not None
    assert narrow.suffix is not None
    assert (roomy.suffix.tokens, roomy.suffix.dropped_chars) == (300, 800)
    assert roomy.document == "x" * 400
    assert (narrow.suffix.tokens, narrow.suffix.dropped_chars) == (30, 1_880)
    assert narrow.document == "x" * 360
    assert narrow.report.truncated
    assert narrow.report.after_tokens == narrow.report.available == 120


def test_stop_at_limit_sends_all_of_it_or_nothing() -> None:
    with pytest.raises(AssemblyError) as caught:
        sent("y" * 100, window=24 + 124, strategy="stopAtLimit")

    assert (caught.value.code, caught.value.details["needed"]) == ("CONTEXT_TOO_LONG", 125)
    assert sent("y" * 100, window=24 + 125, strategy="stopAtLimit").report.after_tokens == 125


@given(before=st.integers(1, 900), after=st.integers(0, 900), room=st.integers(1, 300))
def test_it_never_costs_more_than_there_is(before: int, after: int, room: int) -> None:
    assembled = sent("y" * after, window=24 + room, length=before)

    report = assembled.report
    assert report.after_tokens <= report.available or report.over_limit
    whole = -(-before // 4) + -(-after // 4)
    assert report.before_tokens == whole
    assert report.truncated or report.over_limit or whole <= room


def test_a_model_that_is_not_known_to_take_it_is_not_asked() -> None:
    question = AskedQuestion(ASKER, Sources("a"), suffix=" the end")

    with pytest.raises(AssemblyError) as caught:
        assembled_for(story(), question, Model())

    assert caught.value.code == "NO_FILL_IN"
    assert "Base" in caught.value.message


def test_what_was_sent_can_be_put_together_again_and_tells_what_is_other_today() -> None:
    subject = story(36_000)
    question = AskedQuestion(ASKER, Sources("a"), suffix="y" * 9_000)
    assembled = assembled_for(subject, question, FILLS)
    request = request_for(assembled, question, 1)
    inputs = inputs_of(subject, question, FILLS)
    record = from_json(record_to_json(record_of(inputs, assembled), subject), subject, "context")

    assert assembled.suffix is not None
    assert request.suffix == assembled.suffix.text != ""
    assert record.inputs == inputs
    assert digest_of(assembled_from(subject, record.inputs)) == record.digest
    today = replay(subject, record, replace(inputs, suffix="z"))
    assert [difference.name for difference in today.differences] == ["suffix"]
    assert not today.is_identical
