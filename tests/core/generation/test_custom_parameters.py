"""Custom parameters and stop sequences as a person writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.generation.agent_presets import (
    parsed_parameters,
    parsed_stops,
    written_parameters,
    written_stops,
)
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for, request_for
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.sent.inputs import Model
from loomapp.core.summarisers.prompts import SummaryTask
from tests.kit.written_trees import node, tree

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.text(min_size=1).map(lambda name: f"x{name}")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1,\n "a": 2}', "Line 2: a is there twice"),
        ('{\n"a": NaN}', "Line 2: NaN is no number in JSON"),
        ("[1]", "Line 1: parameters are an object"),
        ('{"a":\n oops}', "Line 2: expecting value"),
        ('{"top_k": 4,\n\n"messages": []}', "Line 3: messages cannot be set here"),
    ],
)
def test_what_cannot_be_sent_is_named_by_its_line(text: str, line: str) -> None:
    with pytest.raises(ValueError, match=line):
        parsed_parameters(text)


def test_an_agent_from_a_file_sends_nothing_else_than_is_shown() -> None:
    taken = {"model": "dear", "n": 9, "prompt": "Other words", "messages": [], "stream": False}
    taken |= {"models": ["dear"], "best_of": 9, "previous_response_id": "r", "conversation": "c"}
    agent = Agent("a", "A", "model", "fake:cheap", Configuration(custom_parameters={"top_k": 4, **taken}))
    question = AskedQuestion(agent, Sources("r"))
    assembled = assembled_for(tree([node("r", "Once")], mode="buffer"), question, Model())

    asked = request_for(assembled, question, 1)
    summed_up = SummaryTask(agent, Model(), "Sum up.", ("Once",), 99).request(0, "")

    assert asked.custom_parameters == summed_up.custom_parameters == {"top_k": 4}


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_parameters_are_read_as_they_were_written(parameters: dict[str, object]) -> None:
    assert parsed_parameters(written_parameters(parameters)) == parameters


@given(st.lists(st.text(alphabet="ab\\nt\n\t ", min_size=1), max_size=4))
def test_stop_sequences_are_read_as_they_were_written(stops: list[str]) -> None:
    assert parsed_stops(written_stops(tuple(stops))) == tuple(stops)
