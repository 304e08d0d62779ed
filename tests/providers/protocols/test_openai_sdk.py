"""Every way in which a server can fail ends as one ProviderError with a next step, the text kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from loomapp.core.generation.provider import ProviderError, ReasoningDelta
from loomapp.providers.protocols.endpoint import proxy_for
from tests.kit.servers import fake_server
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, Script, chunk
from tests.providers.outcome import KEY, Outcome, begin, chat, outcome_of, says, until_text

ROOT = Path(__file__).parents[3]


def html(conversation: Conversation) -> None:
    conversation.head(content_type="text/html")
    conversation.send(b"<!doctype html><title>Log in</title>")


def reset_in_the_middle(conversation: Conversation) -> None:
    conversation.head()
    conversation.send(chunk("Once") + chunk(" upon"))
    conversation.reset()


def half_a_line(conversation: Conversation) -> None:
    conversation.head()
    conversation.send(chunk("Once") + chunk(" upon")[:25])


def redirect(conversation: Conversation) -> None:
    conversation.head(307, "text/plain", location="http://127.0.0.1:9/elsewhere", content_length="0")


def one_huge_line(conversation: Conversation) -> None:
    conversation.head()
    conversation.send(chunk("Once") + b"data: ")
    for _ in range(9):
        conversation.send(b"x" * (1 << 20))
    conversation.wait_until_left()


OVERLOADED = fake_server.event({"error": {"message": "Overloaded", "type": "overloaded_error"}})
TOO_LONG = {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 9031, "n_ctx": 8192}}
QUOTA = {"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}
TOO_LONG_IN_WORDS = {
    "error": {
        "code": "context_length_exceeded",
        "message": "This model's maximum context length is 4097 tokens, however you requested 5000 tokens",
    }
}

FAULTS: dict[str, tuple[Script, str, str]] = {
    "truncated stream": (fake_server.says(chunk("Once"), chunk(" upon")), "networkError", "Once upon"),
    "empty 200": (fake_server.says(), "serverError", ""),
    "a web page": (html, "invalidRequest", ""),
    "an error in mid-stream": (fake_server.says(chunk("Once"), OVERLOADED), "serverError", "Once"),
    "reset in mid-stream": (reset_in_the_middle, "networkError", "Once upon"),
    "half a line": (half_a_line, "networkError", "Once"),
    "bad JSON": (fake_server.says(chunk("Once"), b"data: {oops\n\n", DONE), "serverError", "Once"),
    "JSON of another shape": (fake_server.says(chunk("Once"), b"data: [1]\n\n", DONE), "serverError", "Once"),
    "bad UTF-8": (fake_server.says(chunk("Once"), b'data: {"\xff": 1}\n\n', DONE), "serverError", "Once"),
    "a choice that never finished": (fake_server.says(chunk("Once"), DONE), "serverError", "Once"),
    "a huge line": (one_huge_line, "serverError", "Once"),
    "filtered": (fake_server.says(chunk("On", reason="content_filter"), DONE), "contentFiltered", "On"),
    "401": (fake_server.fails(401), "authenticationFailed", ""),
    "402": (fake_server.fails(402), "rateLimited", ""),
    "403": (fake_server.fails(403), "authenticationFailed", ""),
    "404": (fake_server.fails(404), "modelNotFound", ""),
    "413": (fake_server.fails(413), "contextTooLong", ""),
    "422": (fake_server.fails(422), "invalidRequest", ""),
    "429": (fake_server.fails(429), "rateLimited", ""),
    "quota": (fake_server.fails(429, QUOTA), "rateLimited", ""),
    "500": (fake_server.fails(500), "serverError", ""),
    "529": (fake_server.fails(529), "serverError", ""),
    "too long": (fake_server.fails(400, TOO_LONG), "contextTooLong", ""),
    "redirect": (redirect, "invalidRequest", ""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_has_its_code_keeps_the_text_and_names_a_next_step(fault: str) -> None:
    script, code, text = FAULTS[fault]

    with FakeServer(script) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url))

    assert isinstance(outcome.error, ProviderError)
    assert outcome.error.code == code
    assert outcome.texts.get(0, "") == text
    assert "Fake" in outcome.error.message
    assert any(word in outcome.error.message for word in ("etry", "heck", "hoose"))


@pytest.mark.parametrize(
    ("status", "told"), [(402, "asks for payment"), (403, "does not allow"), (401, "refused the key")]
)
def test_a_refusal_says_what_it_is_about_in_our_words_and_in_the_servers(status: int, told: str) -> None:
    body = {"error": {"message": "Your organization must be verified."}}

    with FakeServer(fake_server.fails(status, body)) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url))

    assert isinstance(outcome.error, ProviderError)
    assert told in outcome.error.message
    assert outcome.error.details["said"] == body["error"]["message"]


def test_a_whole_answer_ends_without_an_error_and_tells_its_cost() -> None:
    with FakeServer(fake_server.answers("Once upon")) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url))

    assert (outcome.texts, outcome.reasons, outcome.error) == ({0: "Once upon"}, {0: "stop"}, None)
    assert outcome.usage is not None
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (7, 3)


def test_reasoning_is_told_apart_from_text() -> None:
    thought = fake_server.event(
        {"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}, "finish_reason": None}]}
    )

    with FakeServer(fake_server.says(thought, chunk("Yes", reason="stop"), DONE)) as server:
        running = begin(says("Really?"), chat(server.url))
        events = list(running.follow())
        running.join()

    assert ReasoningDelta(0, "Hm.") in events
    assert Outcome().take(events).texts == {0: "Yes"}


@pytest.mark.parametrize(
    ("body", "needed", "limit"), [(TOO_LONG, 9031, 8192), (TOO_LONG_IN_WORDS, 5000, 4097)]
)
def test_a_context_that_is_too_long_tells_by_how_much(body: object, needed: int, limit: int) -> None:
    with FakeServer(fake_server.fails(400, body)) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url))

    assert outcome.error is not None
    assert (outcome.error.details["needed"], outcome.error.details["limit"]) == (needed, limit)


def test_nobody_listening_is_a_network_error() -> None:
    outcome = outcome_of(says("Tell me"), chat(f"http://127.0.0.1:{fake_server.closed_port()}"))

    assert outcome.error is not None
    assert outcome.error.code == "networkError"
    assert outcome.evidence is None


def test_silence_beyond_the_read_timeout_is_a_timeout() -> None:
    def silent(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Once"))
        conversation.wait_until_left()

    with FakeServer(silent) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url, read_timeout_s=0.3))

    assert outcome.error is not None
    assert outcome.error.code == "timeout"
    assert outcome.texts == {0: "Once"}


def test_half_a_surrogate_is_refused_in_words() -> None:
    with FakeServer(fake_server.answers("never asked")) as server:
        outcome = outcome_of(says("\ud83d alone"), chat(server.url))

    assert outcome.error is not None
    assert outcome.error.code == "invalidRequest"
    assert server.received == []


def test_a_redirect_carries_the_prompt_nowhere() -> None:
    with FakeServer(fake_server.answers("stolen")) as other:

        def to_other(conversation: Conversation) -> None:
            conversation.head(
                307, "text/plain", location=f"{other.url}/v1/chat/completions", content_length="0"
            )

        with FakeServer(to_other) as server:
            outcome = outcome_of(says("My secret"), chat(server.url))

    assert outcome.error is not None
    assert other.received == []


def echo_headers_and_fail(conversation: Conversation) -> None:
    request = conversation.request
    content = json.dumps({"error": {"message": f"Bad key in {request.headers}"}}).encode()
    conversation.head(
        400, "application/json", content_length=str(len(content)), x_echo=request.headers["authorization"]
    )
    conversation.send(content)


def echo_headers_and_answer(conversation: Conversation) -> None:
    authorization = conversation.request.headers["authorization"]
    conversation.head(x_echo=authorization, set_cookie="session=abc")
    conversation.send(b": " + authorization.encode() + b"\n\n" + chunk("Hi", reason="stop") + DONE)


@pytest.mark.parametrize("script", [echo_headers_and_fail, echo_headers_and_answer])
def test_a_key_that_the_server_sends_back_is_in_no_error_and_no_evidence(script: Script) -> None:
    with FakeServer(script) as server:
        outcome = outcome_of(says("Hello"), chat(server.url))

    assert KEY in server.received[0].headers["authorization"]
    evidence = outcome.evidence
    assert evidence is not None
    error = outcome.error
    told = [evidence, evidence.body, error, error and error.message, error and error.details]
    assert not any(KEY in str(value) for value in told)
    assert "session=abc" not in str(evidence.headers)


def test_the_environment_cannot_change_what_is_sent_or_where(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://foreign.invalid")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-foreign: foreign\nauthorization: Bearer foreign")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{fake_server.closed_port()}")

    with FakeServer(fake_server.answers("Hi")) as server:
        outcome = outcome_of(says("Hello"), chat(server.url))

    assert outcome.error is None
    [request] = server.received
    assert "foreign" not in str(request)
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_a_proxy_is_asked_for_every_host_but_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(fake_server.answers("Hi")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        outcome = outcome_of(says("Hello"), chat("http://models.invalid:8080"))

    assert outcome.texts == {0: "Hi"}
    assert proxy.received[0].path == "http://models.invalid:8080/v1/chat/completions"
    assert [proxy_for(f"http://{host}/v1") for host in ("localhost", "127.0.0.1:99", "[::1]:99")] == [
        None
    ] * 3


LOGGING = """
import sys
from loomapp.providers.protocols.exchange import Call
from tests.providers.outcome import chat, says
for event in chat(sys.argv[1]).stream(says("My secret prompt"), Call()):
    pass
"""


def test_the_sdks_debug_log_shows_neither_prompts_nor_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_LOG", "debug")

    with FakeServer(fake_server.answers("Hi")) as server:
        ran = subprocess.run(
            [sys.executable, "-c", LOGGING, server.url], capture_output=True, text=True, cwd=ROOT, check=True
        )

    assert len(server.received) == 1
    assert "My secret prompt" not in ran.stdout + ran.stderr
    assert KEY not in ran.stdout + ran.stderr


def test_only_what_was_chosen_is_sent() -> None:
    with FakeServer(fake_server.answers("Hi")) as server:
        outcome_of(says("Hello", max_tokens=None), chat(server.url))

    assert json.loads(server.received[0].body) == {
        "model": "SmolLM2-135M-Instruct.Q4_1",
        "messages": [{"role": "user", "content": "Hello"}],
        "n": 1,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_stopping_a_silent_server_ends_the_run_at_once_and_then_the_connection() -> None:
    def stall(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Once"))
        conversation.wait_until_left()

    with FakeServer(stall) as server:
        running = begin(says("Tell me"), chat(server.url))
        outcome = until_text(running)

        running.stop()
        ended = Outcome().take(running.drain())  # without waiting for anything

        assert isinstance(ended.error, ProviderError)
        assert ended.error.code == "cancelled"
        assert ended.evidence is not None
        assert outcome.texts[0].encode() in ended.evidence.body
        assert server.left.wait(60)
        assert running.join(60)
        assert running.drain() == []


def test_a_server_that_does_not_even_answer_can_be_stopped() -> None:
    with FakeServer(Conversation.wait_until_left) as server:
        running = begin(says("Tell me"), chat(server.url))
        running.stop()

        assert running.join(60)
        *_, ended = running.drain()

    assert Outcome().take([ended]).evidence is None
