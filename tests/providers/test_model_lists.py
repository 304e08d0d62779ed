"""Lists of models: asked once a day, with the windows they tell, and an old copy where nobody answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.core.generation import ProviderError
from loomapp.providers.endpoint import Endpoint
from loomapp.providers.model_lists import ListedModel, model_list
from tests import fake_server
from tests.fake_server import FakeServer
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

    assert (first.models, first.is_stale) == (MODELS, False)
    assert again == first
    assert (later.models, later.is_stale, later.asked_at) == (MODELS, True, 1000)
    assert server.received[0].path == "/v1/models"
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert not any(KEY in path.read_text() for path in tmp_path.iterdir())


@pytest.mark.parametrize(("status", "code"), [(401, "authenticationFailed"), (500, "serverError")])
def test_without_a_list_the_reason_is_told(status: int, code: str, tmp_path: Path) -> None:
    with FakeServer(fake_server.fails(status)) as server, pytest.raises(ProviderError) as caught:
        model_list(Endpoint("Fake", f"{server.url}/v1", KEY), tmp_path)

    assert caught.value.code == code
    assert KEY not in str(caught.value.details)


def test_a_page_is_no_list(tmp_path: Path) -> None:
    with FakeServer(fake_server.says(b"<html>")) as server, pytest.raises(ProviderError, match="Type the"):
        model_list(Endpoint("Fake", f"{server.url}/v1", KEY), tmp_path)
