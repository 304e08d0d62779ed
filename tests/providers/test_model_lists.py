"""Lists of models: asked once a day, with the windows they tell, and an old copy where nobody answers."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from loomapp import places
from loomapp.core.generation.provider import ProviderError
from loomapp.providers.capability import capability_of, tell_window
from loomapp.providers.endpoints import ListedModel, endpoint_settings, settings_file
from loomapp.providers.model_lists import model_list
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.protocols.learned import learned
from loomapp.providers.registry import listed_models, rules_for
from tests.kit.servers import fake_server
from tests.kit.servers.fake_server import Conversation, FakeServer, Script
from tests.providers.outcome import KEY

LISTED = {
    "data": [
        {"id": "openrouter/a", "context_length": 200_000},
        {"id": "vllm/b", "max_model_len": 32_768},
        {"id": "llama/c", "meta": {"n_ctx": 8192, "n_ctx_train": 131_072}},
        {"id": "plain/d", "context_length": "much"},
        "odd",
        {"no": "name"},
    ]
}
MODELS = (
    ListedModel("llama/c", 8192),
    ListedModel("odd"),
    ListedModel("openrouter/a", 200_000),
    ListedModel("plain/d"),
    ListedModel("vllm/b", 32_768),
)
DAY = 24 * 3600


def test_a_list_is_asked_once_a_day_and_an_old_one_is_marked(tmp_path: Path) -> None:
    with FakeServer(fake_server.fails(200, LISTED), fake_server.fails(503)) as server:
        endpoint = Endpoint("Fake", f"{server.url}/v1", KEY)
        first = model_list(endpoint, tmp_path, now=1000)
        again = model_list(endpoint, tmp_path, now=1000 + DAY - 1)
        assert len(server.received) == 1
        later = model_list(endpoint, tmp_path, now=1000 + DAY + 1)

    assert (first.models, first.stale_because) == (MODELS, "")
    assert again == first
    assert (later.models, later.asked_at) == (MODELS, 1000)
    assert later.stale_because.startswith("Fake")
    assert server.received[0].path == "/v1/models"
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert not any(KEY in path.read_text() for path in tmp_path.iterdir())


@pytest.mark.parametrize(("status", "code"), [(401, "authenticationFailed"), (500, "serverError")])
def test_without_a_list_the_reason_is_told(status: int, code: str, tmp_path: Path) -> None:
    with FakeServer(fake_server.fails(status)) as server, pytest.raises(ProviderError) as caught:
        model_list(Endpoint("Fake", f"{server.url}/v1", KEY), tmp_path)

    assert caught.value.code == code
    assert KEY not in str(caught.value.details)


def test_a_page_or_none_is_no_list(tmp_path: Path) -> None:
    for script in (fake_server.says(b"<html>"), fake_server.fails(404)):
        with FakeServer(script) as server, pytest.raises(ProviderError, match="no list of models"):
            model_list(Endpoint("Fake", f"{server.url}/v1", KEY), tmp_path)


def test_a_list_in_pages_and_compressed_is_read_to_its_end(tmp_path: Path) -> None:
    first = {"data": [{"id": "claude-b"}], "has_more": True, "last_id": "claude-b"}
    second = {"data": [{"id": "claude-a", "max_input_tokens": 200_000}], "has_more": False}
    with FakeServer(gzipped(first), gzipped(second)) as server:
        listed = model_list(Endpoint("Fake", f"{server.url}/v1", KEY), tmp_path)

    assert listed.models == (ListedModel("claude-a", 200_000), ListedModel("claude-b"))
    assert server.received[1].path == "/v1/models?after_id=claude-b"


def gzipped(value: object) -> Script:
    """A JSON answer that goes compressed."""

    def script(conversation: Conversation) -> None:
        conversation.head(content_type="application/json", content_encoding="gzip")
        conversation.send(gzip.compress(json.dumps(value).encode()))

    return script


def test_a_key_is_looked_for_only_where_the_endpoint_is_asked(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask_key() -> str:
        asked.append("asked")
        if len(asked) > 1:
            raise ProviderError("authenticationFailed", "Fake needs a key.")
        return KEY

    with FakeServer(fake_server.fails(200, LISTED)) as server:
        endpoint = Endpoint("Fake", f"{server.url}/v1", "")
        model_list(endpoint, tmp_path, ask_key=ask_key, now=1000)
        model_list(endpoint, tmp_path, ask_key=ask_key, now=1001)
        kept = model_list(endpoint, tmp_path, ask_key=ask_key, now=1002, anew=True)

    assert asked == ["asked", "asked"]
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert (kept.models, kept.stale_because) == (MODELS, "Fake needs a key.")


def test_the_window_that_a_list_tells_counts_until_the_user_knows_better() -> None:
    places.config_folder().mkdir(parents=True, exist_ok=True)
    with FakeServer(fake_server.fails(200, LISTED)) as server:
        table = f'[own]\nbase_url = "{server.url}"\napi = "chat"\n'
        settings_file().write_text(table, encoding="utf-8")
        assert capability_of("own:vllm/b").window_from == "guess"
        listed_models(endpoint_settings()["own"], Call())

    assert rules_for("own:vllm/b").context_window == 32_768
    assert capability_of("own:vllm/b").window_from == "list"
    tell_window("own:vllm/b", 4_000)
    assert rules_for("own:vllm/b").context_window == 4_000
    assert capability_of("own:vllm/b").window_from == "user"
    tell_window("own:vllm/b", None)
    assert rules_for("own:vllm/b").context_window == 32_768
    known = rules_for("own:vllm/b")
    base_url = f"{server.url}/v1"
    learned().note(base_url, "vllm/b", known, replace(known, context_window=16_000))
    assert capability_of("own:vllm/b").window_from == "refusal"
    assert capability_of("openai:gpt-4.1").window_from == "table"
