"""Every provider on this computer keeps the contract of one, one that is added too."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.context.messages import Message, TextPart
from loomapp.core.generation.cost import FREE, price_of
from loomapp.core.generation.provider import Request
from loomapp.core.model.agent import Configuration
from loomapp.providers.capability import capability_of, tell_continues, tell_window
from loomapp.providers.endpoints import PRESETS, EndpointSetting, lender_of, names_apart
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.protocols.learned import Learned
from loomapp.providers.protocols.protocols import PROTOCOLS
from loomapp.providers.registry import (
    PROVIDERS,
    endpoint_name,
    provider_for,
    rules_for,
    wire_body,
)
from loomapp.store.grove.model_agents import new_agent
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.providers.outcome import Outcome, begin, says


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_is_found_by_its_name_shown_by_its_words_and_free(name: str) -> None:
    row = PROVIDERS[name]

    assert row.name == name
    assert name
    assert ":" not in name
    assert name not in PRESETS, "an endpoint has that name"
    assert row.title
    assert row.spoken
    assert all(row.models())
    assert price_of(f"{name}:any", {}) == FREE, "name it in FREE_PROVIDERS of core/generation/cost.py"
    assert json.dumps(wire_body(says("Tell me", model_ref=f"{name}:any")))
    with closing(Engine()) as engine:
        assert callable(provider_for(f"{name}:any", engine).stream)


def test_one_that_is_no_engine_is_told_and_kept_as_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    row = replace(PROVIDERS["local"], name="echo", title="Echo", spoken="a function", loads_model=False)
    monkeypatch.setitem(PROVIDERS, "echo", row)

    tell_window("echo:words", 5_000)

    known = capability_of("echo:words")
    assert (known.protocol, known.is_here, known.most_window) == ("a function", False, None)
    assert (known.window_from, rules_for("echo:words").context_window) == ("user", 5_000)
    assert rules_for("local:words").context_window != 5_000, "the model of another provider"
    assert capability_of("nobody:words").protocol == "", "not the engine's"


@pytest.mark.parametrize(
    ("endpoint_id", "url", "key_name", "lender"),
    [
        ("own1", "https://proxy.example/v1", "OPENAI_API_KEY", "OpenAI"),
        ("own1", "https://api.openai.com/v1", "OPENAI_API_KEY", ""),
        ("own1", "http://localhost:4000/v1", "OPENAI_API_KEY", ""),
        ("own1", "https://proxy.example/v1", "OWN_KEY", ""),
        ("own1", "https://proxy.example/v1", "", ""),
        ("openai", "https://proxy.example/v1", "OPENAI_API_KEY", "OpenAI"),
    ],
)
def test_the_key_of_another_provider_is_lent_only_where_that_was_allowed(
    endpoint_id: str, url: str, key_name: str, lender: str
) -> None:
    assert lender_of(EndpointSetting(endpoint_id, "Own", url, "chat", key_name)) == lender


@pytest.mark.parametrize(
    ("model_ref", "is_limited"),
    [(DEFAULT_MODEL_REF, True), ("anthropic:claude-sonnet-4-5", False), ("local:Own-70B.Q4", False)],
)
def test_an_agent_made_for_a_model_is_limited_only_for_the_small_one(
    model_ref: str, is_limited: bool
) -> None:
    assert (new_agent(model_ref).configuration != Configuration()) == is_limited


@pytest.mark.parametrize(("prefix", "name"), [("anthropic", "stop_sequences"), ("openai", "stop")])
def test_stop_sequences_that_a_model_refuses_are_not_sent_again(prefix: str, name: str) -> None:
    request = Request(f"{prefix}:m", messages=(Message("user", (TextPart("Go"),)),), stop_sequences=("END",))
    rules = rules_for(request.model_ref)
    body = PROTOCOLS[PRESETS[prefix].api].body

    assert body(request, rules)[name] == ["END"]
    assert name not in body(request, replace(rules, refused=frozenset({name})))


def test_responses_are_known_to_take_no_stop_sequences() -> None:
    assert not capability_of("openai-responses:gpt-5").takes_stops
    assert capability_of("openai:gpt-5").takes_stops


def test_a_text_goes_by_completions_where_a_server_of_chats_has_them_or_its_user_says_so() -> None:
    text = Request("openrouter:base", document="It was", max_tokens=9)
    chat = Request("openrouter:base", messages=(Message("user", (TextPart("Go"),)),))
    assert rules_for("llamacpp:any").continues_documents
    assert not rules_for("ollama:any").continues_documents
    assert not rules_for("openrouter:base").continues_documents

    tell_continues("openrouter:base", True)

    assert rules_for("openrouter:base").continues_documents
    assert (wire_body(text)["prompt"], "messages" in wire_body(chat)) == ("It was", True)
    assert wire_body(replace(text, model_ref="openai:gpt-5"))["max_tokens"] == 9
    tell_continues("openrouter:base", None)
    assert not rules_for("openrouter:base").continues_documents


def test_what_is_known_of_one_protocol_is_not_taken_for_another_at_the_same_address(tmp_path: Path) -> None:
    url, learned = "https://api.openai.com/v1", Learned(tmp_path / "models.json")
    responses, chat = rules_for("openai-responses:gpt-5"), rules_for("openai:gpt-5")
    refusing = replace(responses, refused=responses.refused | {"temperature"})
    tell_continues("openai:gpt-5", True)

    learned.note(url, "gpt-5", responses, refusing)

    assert learned.applied(url, "gpt-5", responses).refused == {"stop", "temperature"}
    assert learned.applied(url, "gpt-5", chat).refused == {"temperature"}
    assert rules_for("openai:gpt-5").continues_documents
    assert not rules_for("openai-responses:gpt-5").continues_documents
    tell_continues("openai:gpt-5", None)  # what was learned outlives a test


def test_a_text_is_asked_of_completions_of_the_same_server() -> None:
    add = DIALECTS["completions"].answer(" dark.")
    with FakeServer(add) as server, closing(Engine()) as engine:
        add_endpoint("own", server.url, "chat")
        tell_continues("own:base", True)
        running = begin(Request("own:base", document="It was"), provider_for("own:base", engine))
        outcome = Outcome().take(running.follow())
        assert running.join(60)

    assert (outcome.texts, outcome.error) == ({0: " dark."}, None)
    assert server.received[0].path == "/v1/completions"


def test_endpoints_of_one_name_are_told_apart_by_their_places_else_by_their_ids() -> None:
    for name, port in (("a", 1), ("b", 2), ("c", 2)):
        add_endpoint(name, f"http://127.0.0.1:{port}", "chat", name="Fast server")

    assert endpoint_name("a:m") == "Fast server · 127.0.0.1:1"
    assert [endpoint_name(f"{name}:m") for name in "bc"] == ["Fast server · b", "Fast server · c"]
    assert set(names_apart(PRESETS).values()) == {setting.name for setting in PRESETS.values()}
