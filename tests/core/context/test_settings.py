"""Context settings: whose value counts, and where it comes from."""

from __future__ import annotations

from loomapp.core.context.settings import AppContextSettings, effective
from loomapp.core.context.truncation import DIALOGUE_MARKER, marker_for
from loomapp.core.model.entities import ContextSettings


def test_each_field_counts_from_the_nearest_place_that_sets_it() -> None:
    app = AppContextSettings(minimum_recent_nodes=3)
    tree = ContextSettings(truncation_strategy="rollingWindow", token_buffer=5)
    request = ContextSettings(token_buffer=0)

    settings = effective(app, tree, request)

    assert settings.truncation_strategy == "rollingWindow"
    assert (settings.minimum_recent_nodes, settings.token_buffer) == (3, 0)
    assert settings.origins == {
        "truncation_strategy": "tree",
        "minimum_recent_nodes": "app",
        "token_buffer": "request",
        "instruction_scope": "app",
        "dialogue_marker": "app",
        "buffer_marker": "app",
        "continue_text": "app",
    }


def test_a_text_that_the_rules_cannot_use_counts_as_none() -> None:
    tree = ContextSettings(dialogue_marker="no number", buffer_marker="", continue_text=" ")
    app = AppContextSettings(dialogue_marker="({n})", continue_text="\n")

    settings = effective(app, tree, ContextSettings(buffer_marker="~"))

    assert settings.dialogue_marker == "({n})"
    assert settings.buffer_marker == "~"
    assert settings.continue_text == "Continue."


def test_a_marker_says_how_many_and_has_an_s_where_it_should() -> None:
    assert marker_for(DIALOGUE_MARKER, 1) == "[... 1 message omitted ...]"
    assert marker_for(DIALOGUE_MARKER, 3) == "[... 3 messages omitted ...]"
    assert marker_for("{n} of {{n}}, {s}{x}", 12) == "12 of {12}, s{x}"


def test_the_defaults_are_those_of_the_rules() -> None:
    settings = effective(AppContextSettings(), ContextSettings(), ContextSettings())

    assert settings.truncation_strategy == "truncateMiddle"
    assert (settings.minimum_recent_nodes, settings.token_buffer) == (4, 1024)
    assert settings.instruction_scope == "path"


def test_at_least_one_recent_unit_is_asked_for() -> None:
    request = ContextSettings(minimum_recent_nodes=0)

    assert effective(AppContextSettings(), ContextSettings(), request).minimum_recent_nodes == 1
