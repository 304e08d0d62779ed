"""Images go out as each protocol wants them, and are kept with the request by name."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.context.messages import ImagePart, Message, TextPart
from loomapp.core.generation.provider import ProviderError, Request, encoded_image
from loomapp.providers.protocols.bodies import KEPT_AS, without_images
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.store.files.media import MediaOfFile
from tests.kit.servers import fake_server
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.providers.outcome import outcome_of
from tests.providers.protocols.test_protocols import model_at

PIXELS = bytes(range(256)) * 20
REF = hashlib.sha256(PIXELS).hexdigest()
BASE64 = base64.b64encode(PIXELS).decode()
MEDIA = MediaOfFile({REF: PIXELS})
CAT = ImagePart(REF, "image/png", "[image: cat.png]", "cat.png")
CHATS = [api for api in DIALECTS if api != "completions"]


def asking(*parts: TextPart | ImagePart, media: MediaOfFile = MEDIA) -> Request:
    said = Message("user", parts)
    return Request("fake:fake-1", messages=(said,), max_tokens=9, encode_image=partial(encoded_image, media))


def expected(api: str) -> object:
    """What stands for a text, the image and two more texts."""
    text = {"responses": "input_text"}.get(api, "text")
    url = f"data:image/png;base64,{BASE64}"
    images: dict[str, dict[str, Any]] = {
        "messages": {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": BASE64},
        },
        "chat": {"type": "image_url", "image_url": {"url": url}},
        "responses": {"type": "input_image", "image_url": url},
    }
    return [{"type": text, "text": "Look:"}, images[api], {"type": text, "text": "What\n\nis it?"}]


@pytest.mark.parametrize("api", CHATS)
def test_an_image_is_sent_whole_and_kept_by_name(api: str, tmp_path: Path) -> None:
    request = asking(TextPart("Look:"), CAT, TextPart("What"), TextPart("is it?"))
    with FakeServer(DIALECTS[api].answer("A cat.")) as server:
        outcome = outcome_of(request, model_at(server.url, api, tmp_path))

    body = server.received[0].body
    value = json.loads(body)
    assert value["input" if api == "responses" else "messages"][0]["content"] == expected(api)
    assert outcome.evidence is not None
    kept = outcome.evidence.request_body
    assert BASE64 not in kept
    assert kept.replace(KEPT_AS + REF, BASE64).encode() == body


def test_a_breakpoint_of_the_cache_stands_on_the_last_block(tmp_path: Path) -> None:
    with FakeServer(DIALECTS["messages"].answer("A cat.")) as server:
        rules = ModelRules(provider_rules="anthropic", caches=True)
        outcome_of(asking(TextPart("Look:"), CAT), model_at(server.url, "messages", tmp_path, rules))

    *_, image = json.loads(server.received[0].body)["messages"][0]["content"]
    assert image["type"] == "image"
    assert image["cache_control"] == {"type": "ephemeral"}


def test_an_image_that_is_gone_is_told_and_nothing_is_sent(tmp_path: Path) -> None:
    with FakeServer(DIALECTS["chat"].answer("A cat.")) as server:
        outcome = outcome_of(asking(CAT, media=MediaOfFile({})), model_at(server.url, "chat", tmp_path))

    assert isinstance(outcome.error, ProviderError)
    assert "“cat.png” is not in the media folder" in outcome.error.message
    assert server.received == []


def test_only_the_images_of_the_request_are_taken_out_of_what_is_kept() -> None:
    other = base64.b64encode(b"somebody's own words, in base64, typed into a message").decode()
    body = json.dumps({"said": other, "data": BASE64, "url": f"data:image/png;base64,{BASE64}"}).encode()

    kept = json.loads(without_images(body, {REF}))

    named = KEPT_AS + REF
    assert kept == {"said": other, "data": named, "url": f"data:image/png;base64,{named}"}
    assert without_images(body, ()) == body


REFUSALS = {
    "llama.cpp": (
        500,
        {"error": {"message": "image input is not supported - hint: you may need the mmproj"}},
    ),
    "openrouter": (404, {"error": {"message": "No endpoints found that support image input"}}),
    "vllm": (400, {"error": {"message": "fake-1 is not a multimodal model", "code": 400}}),
    "other": (400, {"error": {"message": "Image input is not supported by this model"}}),
}


@pytest.mark.parametrize("server_name", REFUSALS)
def test_a_model_that_takes_no_images_is_remembered(server_name: str, tmp_path: Path) -> None:
    rules = ModelRules(accepts_images=True)
    refusal = fake_server.fails(*REFUSALS[server_name])
    with FakeServer(refusal, refusal, refusal) as server:
        outcome = outcome_of(asking(CAT), model_at(server.url, "chat", tmp_path, rules))
        learned = model_at(server.url, "chat", tmp_path, rules)._rules

    assert outcome.error is not None
    assert "takes no images" in outcome.error.message
    assert not learned.accepts_images


def test_a_refusal_of_one_image_says_nothing_of_the_others(tmp_path: Path) -> None:
    rules = ModelRules(accepts_images=True)
    said = "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum"
    with FakeServer(fake_server.fails(400, {"error": {"message": said}})) as server:
        outcome = outcome_of(asking(CAT), model_at(server.url, "messages", tmp_path, rules))
        learned = model_at(server.url, "messages", tmp_path, rules)._rules

    assert outcome.error is not None
    assert learned.accepts_images


def test_texts_alone_go_as_ever(tmp_path: Path) -> None:
    with FakeServer(DIALECTS["chat"].answer("Yes.")) as server:
        request = replace(asking(TextPart("One"), TextPart("two")))
        outcome_of(request, model_at(server.url, "chat", tmp_path))

    assert json.loads(server.received[0].body)["messages"][0]["content"] == "One\n\ntwo"
