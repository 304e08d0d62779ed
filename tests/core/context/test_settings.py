"""Context settings: whose value counts, and where it comes from."""

from __future__ import annotations

from loomapp.core.context.settings import AppContextSettings, effective
from loomapp.core.tree import ContextSettings


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
    }


def test_the_defaults_are_those_of_the_rules() -> None:
    settings = effective(AppContextSettings(), ContextSettings(), ContextSettings())

    assert settings.truncation_strategy == "truncateMiddle"
    assert (settings.minimum_recent_nodes, settings.token_buffer) == (4, 1024)
    assert settings.instruction_scope == "path"


def test_at_least_one_recent_unit_is_asked_for() -> None:
    request = ContextSettings(minimum_recent_nodes=0)

    assert effective(AppContextSettings(), ContextSettings(), request).minimum_recent_nodes == 1
