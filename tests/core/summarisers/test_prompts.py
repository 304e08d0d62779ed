"""Prompts and portions of summarisers: what a model is asked, in how many requests, and what has no room."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.errors import AssemblyError
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.economy_settings import DEFAULTS
from loomapp.core.paths.resolve import resolve
from loomapp.core.summarisers.plan import SummaryPlan, plan_for
from loomapp.core.summarisers.prompts import BETWEEN, SUMMARISERS, portions, prompt_of, summary_task
from loomapp.core.text.token_counts import careful_estimate
from tests.core.economy.trees import talk
from tests.kit.written_trees import chain, node

AGENT = Agent("m", "M", "model", "fake:m", Configuration(temperature=0.5, stop_sequences=("USER",)))


@dataclass(frozen=True)
class Known:
    """A model as its rules know it."""

    context_window: int = 8_000
    provider_rules: str = "openai"
    accepts_images: bool = False
    continues_documents: bool = False
    fills_in: bool = False
    takes_messages: bool = True


def six() -> SummaryPlan:
    """The plan of a path of six messages."""
    tree = talk(6)
    return plan_for(tree, resolve(tree, "n6"), 4)


def test_a_request_is_the_prompt_and_the_transcript_after_the_summary_before_it() -> None:
    task = summary_task(six(), AGENT, Known(), DEFAULTS, "Before.")

    request = task.request(0, task.before)

    [message] = request.messages
    assert message.text == "[Previous conversation summary]\nBefore.\n\nUSER: a\n\nASSISTANT: b"
    assert request.system == SUMMARISERS["conversation"]("")
    assert (request.max_tokens, request.temperature, request.n) == (2_000, 0.5, 1)  # a quarter of the window
    assert request.stop_sequences == ()  # they are for answers, and end a summary in the middle


def test_a_model_without_messages_is_given_a_text_to_continue() -> None:
    task = summary_task(six(), AGENT, Known(takes_messages=False), DEFAULTS, "")

    document = task.request(0, "").document

    assert document is not None
    assert document.endswith("USER: a\n\nASSISTANT: b\n\nSummary:\n")


def test_the_prompt_is_ones_own_or_that_of_the_kind_and_names_what_is_kept() -> None:
    kept = replace(DEFAULTS, summary_kind="story", summary_keep="the colour of the door")

    assert "- in any case: the colour of the door" in prompt_of(kept)
    assert prompt_of(kept).startswith("Summarise the story")
    assert prompt_of(replace(DEFAULTS, summary_prompts={"work": "Mine."})).startswith("Summarise the conv")
    assert prompt_of(replace(DEFAULTS, summary_kind="work", summary_prompts={"work": "Mine."})) == "Mine."
    assert prompt_of(replace(DEFAULTS, summary_prompt="Short.")) == "Short."


def test_what_is_too_long_for_a_model_goes_in_portions_oldest_first() -> None:
    texts = [f"number {index} " + "word " * 200 for index in range(30)]
    tree = chain(*(node(f"n{index}", text) for index, text in enumerate(texts)))
    known = Known(context_window=2_048)

    task = summary_task(plan_for(tree, resolve(tree, "n29"), 4), AGENT, known, DEFAULTS, "")

    assert len(task.portions) > 4
    assert task.portions[0].startswith("USER: number 0 word")
    for number, _ in enumerate(task.portions):
        request = task.request(number, "of the " * 200)
        asked = careful_estimate(request.system or "") + sum(
            careful_estimate(m.text) for m in request.messages
        )
        assert asked + (request.max_tokens or 0) <= known.context_window


def test_a_window_without_room_for_anything_is_refused() -> None:
    with pytest.raises(AssemblyError, match="has no room for a summary") as refused:
        summary_task(six(), AGENT, Known(context_window=200), DEFAULTS, "")

    assert refused.value.code == "INVALID_BUDGET"


@given(st.lists(st.text(alphabet="ab \n漢", min_size=1, max_size=400), max_size=6), st.integers(20, 120))
def test_portions_fit_and_lose_nothing(texts: list[str], room: int) -> None:
    found = portions(texts, room)

    assert all(careful_estimate(one) <= room for one in found)
    assert "".join(found).replace(BETWEEN, "") == "".join(texts).replace(BETWEEN, "")
