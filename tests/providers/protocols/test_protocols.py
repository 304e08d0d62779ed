"""Every fault in every protocol ends as one ProviderError with a next step, the text kept, no key told."""

from __future__ import annotations

import importlib
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.context.messages import Message, TextPart
from loomapp.core.errors import InvalidInput
from loomapp.core.generation.provider import ProviderError, ReasoningDelta, Request
from loomapp.providers.endpoints import endpoint_settings
from loomapp.providers.keys import keep_key, key_file
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.learned import Learned
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.protocols.protocols import PROTOCOLS, base_of
from loomapp.providers.registry import RemoteModel, wire_body
from loomapp.store.rows import change_log
from tests.kit.families import each_once, one_in
from tests.kit.servers import fake_server
from tests.kit.servers.dialects import DIALECTS, Dialect, named
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, Script, chunk
from tests.kit.servers.own_endpoints import add_endpoint
from tests.providers.outcome import KEY, Outcome, begin, outcome_of, says

FaultScript = Callable[[Dialect], Script]


def model_at(url: str, api: str, folder: Path, rules: ModelRules | None = None) -> RemoteModel:
    """A model of a server on loopback, with the planted key."""
    protocol = PROTOCOLS[api]
    endpoint = Endpoint("Fake", base_of(url, protocol), KEY, read_timeout_s=20)
    known = Learned(folder / "models.json")
    rules = rules or protocol.usual
    return RemoteModel(endpoint, protocol, "fake-1", known.applied(endpoint.base_url, "fake-1", rules), known)


def asking(api: str, **fields: object) -> Request:
    """A short question, as a text where the protocol takes no messages."""
    request = says("Tell me", model_ref="fake:fake-1")
    if api == "completions":
        request = replace(request, messages=(), document="Tell me")
    return replace(request, **fields)  # type: ignore[arg-type]


def sent(*parts: Callable[[Dialect], bytes]) -> FaultScript:
    return lambda dialect: fake_server.says(*(part(dialect) for part in parts))


def raw(data: bytes) -> Callable[[Dialect], bytes]:
    return lambda dialect: data


def once(dialect: Dialect) -> bytes:
    return dialect.begins + dialect.says("Once")


def upon(dialect: Dialect) -> bytes:
    return dialect.says(" upon")


def the_end(dialect: Dialect) -> bytes:
    return dialect.ends(dialect.stopped)


def without_terminator(dialect: Dialect) -> bytes:
    return the_end(dialect).removesuffix(dialect.terminator)


def broken(data: bytes) -> Callable[[Dialect], bytes]:
    """An event of the kind that carries text, with something else inside."""
    name = {"messages": b"event: content_block_delta\n", "responses": b"event: response.output_text.delta\n"}
    return lambda dialect: name.get(dialect.api, b"") + b"data: " + data + b"\n\n"


def resets_in_the_middle(dialect: Dialect) -> Script:
    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(once(dialect) + upon(dialect))
        conversation.reset()

    return script


def a_huge_line(dialect: Dialect) -> Script:
    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(once(dialect) + b"data: ")
        for _ in range(64):
            conversation.send(b"x" * (1 << 20))
        conversation.wait_until_left()

    return script


def web_page(status: int) -> FaultScript:
    def script(conversation: Conversation) -> None:
        conversation.head(status, content_type="text/html")
        conversation.send(b"<!doctype html><title>Log in</title>")

    return lambda dialect: script


def redirect(conversation: Conversation) -> None:
    conversation.head(307, "text/plain", location="http://127.0.0.1:9/elsewhere", content_length="0")


def status(number: int, body: object = None) -> FaultScript:
    return lambda dialect: fake_server.fails(number, body)


CLAUDE_TOO_LONG = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "prompt is too long: 212345 tokens > 200000 maximum",
    },
}

FAULTS: dict[str, tuple[FaultScript, str, str]] = {
    "cut off": (sent(once, upon), "networkError", "Once upon"),
    "a clean end without its terminator": (sent(once, without_terminator), "networkError", "Once"),
    "empty 200": (sent(), "serverError", ""),
    "a web page with 200": (web_page(200), "invalidRequest", ""),
    "a web page with 502": (web_page(502), "serverError", ""),
    "an error in the middle": (sent(once, lambda dialect: dialect.fault), "serverError", "Once"),
    "reset in the middle": (resets_in_the_middle, "networkError", "Once upon"),
    "half a line": (sent(once, lambda dialect: upon(dialect)[:40]), "networkError", "Once"),
    "bad JSON": (sent(once, broken(b"{oops"), the_end), "serverError", "Once"),
    "bad UTF-8": (sent(once, broken(b'{"\xff": 1}'), the_end), "serverError", "Once"),
    "a list": (sent(once, broken(b"[1]"), the_end), "serverError", "Once"),
    "a huge line": (a_huge_line, "serverError", "Once"),
    "filtered": (sent(once, lambda dialect: dialect.ends(dialect.filtered)), "contentFiltered", "Once"),
    "redirect": (lambda dialect: redirect, "invalidRequest", ""),
    "too long for Claude": (status(400, CLAUDE_TOO_LONG), "contextTooLong", ""),
    "quota": (status(429, {"error": {"code": "insufficient_quota", "message": "No"}}), "rateLimited", ""),
    **{
        str(number): (status(number), code, "")
        for number, code in {
            400: "invalidRequest", 401: "authenticationFailed", 402: "rateLimited",
            403: "authenticationFailed", 404: "modelNotFound", 408: "timeout", 413: "contextTooLong",
            422: "invalidRequest", 429: "rateLimited", 500: "serverError", 503: "serverError",
            529: "serverError",
        }.items()
    },
}  # fmt: skip


@pytest.mark.parametrize(("fault", "api"), each_once(FAULTS, DIALECTS))
def test_every_fault_has_its_code_keeps_the_text_and_names_a_next_step(
    fault: str, api: str, tmp_path: Path
) -> None:
    make, code, text = FAULTS[fault]

    with FakeServer(make(DIALECTS[api])) as server:
        outcome = outcome_of(asking(api), model_at(server.url, api, tmp_path))

    assert isinstance(outcome.error, ProviderError)
    assert (outcome.error.code, outcome.texts.get(0, "")) == (code, text)
    assert not (text and "failed to answer" in outcome.error.message), "some of it came"
    assert "Fake" in outcome.error.message
    assert any(word in outcome.error.message for word in ("etry", "heck", "hoose"))
    assert {request.path for request in server.received} == {DIALECTS[api].path}


def test_of_a_web_page_only_its_title_is_told(tmp_path: Path) -> None:
    with FakeServer(web_page(502)(DIALECTS["chat"])) as server:
        outcome = outcome_of(asking("chat"), model_at(server.url, "chat", tmp_path))

    assert isinstance(outcome.error, ProviderError)
    assert outcome.error.details["said"] == "Log in"
    assert outcome.error.details["excerpt"] == "<!doctype html><title>Log in</title>"


@pytest.mark.parametrize("api", DIALECTS)
def test_a_whole_answer_ends_without_an_error_and_tells_its_cost(api: str, tmp_path: Path) -> None:
    with FakeServer(DIALECTS[api].answer("Once upon")) as server:
        outcome = outcome_of(asking(api), model_at(server.url, api, tmp_path))

    assert (outcome.texts, outcome.error) == ({0: "Once upon"}, None)
    assert outcome.reasons == {0: DIALECTS[api].stopped}
    assert outcome.usage is not None
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (7, 3)
    assert outcome.evidence is not None
    assert outcome.evidence.model == "fake-1"
    assert b"Once upon" in outcome.evidence.body
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    sealed_whole = replace(outcome.evidence, seal_begun=None)
    assert outcome.evidence.seal_begun is not None, "who saves it, the window too, has the long part done"
    assert change_log.seal(outcome.evidence) == change_log.seal(sealed_whole)


@pytest.mark.parametrize("api", DIALECTS)
def test_a_long_conversation_goes_out_as_it_was_put_together(
    api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[object] = []

    def counted(look: Callable[..., object]) -> Callable[..., object]:
        def wrapped(data: object, **rest: object) -> object:
            looked_at.append(data)
            return look(data, **rest)

        return wrapped

    module = importlib.import_module("openai._utils._transform")
    monkeypatch.setattr(module, "_transform_recursive", counted(module._transform_recursive))
    turns = [Message("assistant" if n % 2 else "user", (TextPart(f"turn {n}"),)) for n in range(101)]
    request = asking(api, messages=() if api == "completions" else tuple(turns))
    with FakeServer(DIALECTS[api].answer("Once upon")) as server:
        model = model_at(server.url, api, tmp_path)
        outcome_of(request, model)

    wished = PROTOCOLS[api].body(request, ModelRules())
    body = json.loads(server.received[0].body)
    name = next(iter({"messages", "input", "prompt"} & body.keys()))
    assert body[name] == wished[name]
    assert len(looked_at) < 50, "OpenAI's, which looks at every word, keeps the window waiting"


@pytest.mark.parametrize("api", DIALECTS)
def test_a_server_that_echoes_its_headers_gets_the_key_nowhere(api: str, tmp_path: Path) -> None:
    def echo(conversation: Conversation) -> None:
        content = json.dumps({"error": {"message": f"Bad key in {conversation.request.headers}"}}).encode()
        conversation.head(400, "application/json", content_length=str(len(content)))
        conversation.send(content)

    with FakeServer(echo) as server:
        outcome = outcome_of(asking(api), model_at(server.url, api, tmp_path))

    error, evidence = outcome.error, outcome.evidence
    assert error is not None
    assert evidence is not None
    assert KEY in str(server.received[0].headers)
    assert not any(
        KEY in str(told) for told in (error, error.message, error.details, evidence, evidence.body)
    )
    assert not any(KEY in path.read_text() for path in tmp_path.iterdir())


@pytest.mark.parametrize("api", DIALECTS)
def test_a_key_that_comes_back_in_pieces_is_hidden_in_a_text_that_is_read_back_all_the_same(
    api: str, tmp_path: Path
) -> None:
    pieces = [KEY[at : at + 5] for at in range(0, len(KEY), 5)]

    def parts(dialect: Dialect) -> bytes:
        return dialect.begins + b"".join(map(dialect.says, ("Yours is ", *pieces, ", is it?")))

    with FakeServer(sent(parts, the_end)(DIALECTS[api])) as server:
        outcome = outcome_of(asking(api), model_at(server.url, api, tmp_path))

    assert outcome.texts == {0: f"Yours is {'*' * len(KEY)}, is it?"}


@pytest.mark.parametrize("api", one_in(4, DIALECTS))
def test_memory_is_bounded_while_a_server_sends_without_end(api: str, tmp_path: Path) -> None:
    with FakeServer(a_huge_line(DIALECTS[api])) as server:
        outcome_of(asking(api), model_at(server.url, api, tmp_path))  # the SDK is loaded from here on
        tracemalloc.start()
        try:
            outcome_of(asking(api), model_at(server.url, api, tmp_path))
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert most < 64 << 20


@pytest.mark.parametrize("api", ["messages", "responses"])
def test_several_answers_are_as_many_requests_and_each_fails_alone(api: str, tmp_path: Path) -> None:
    dialect = DIALECTS[api]
    scripts = [dialect.answer("One"), fake_server.fails(401), dialect.answer("Three")]

    with FakeServer(*scripts) as server:
        outcome = Outcome()
        running = begin(asking(api, n=3), model_at(server.url, api, tmp_path), choices=1)
        outcome.take(running.follow())
        assert running.join(60)

    assert len(server.received) == 3
    assert sorted(outcome.texts.values()) == ["One", "Three"]
    assert [error.code for error in outcome.failures.values()] == ["authenticationFailed"]
    assert outcome.failures.keys().isdisjoint(outcome.texts)
    kept = {number: one.body for one in running.evidence() for number in one.choices}
    assert len(kept) == 3
    for number, text in outcome.texts.items():
        assert text.encode() in kept[str(number)]


def test_where_a_model_caches_the_others_wait_for_the_first_to_be_answered(tmp_path: Path) -> None:
    dialect = DIALECTS["messages"]
    seen_at_first_answer: list[int] = []

    def first(conversation: Conversation) -> None:
        seen_at_first_answer.append(len(server.received))
        conversation.head()
        conversation.send(dialect.begins + dialect.says("One") + the_end(dialect))

    with FakeServer(first, dialect.answer("Two")) as server:
        rules = ModelRules(provider_rules="anthropic", caches=True)
        model = model_at(server.url, "messages", tmp_path, rules)
        running = begin(asking("messages", n=3, system="Be brief."), model, choices=1, caches=True)
        outcome = Outcome().take(running.follow())
        assert running.join(60)

    assert seen_at_first_answer == [1]
    assert sorted(outcome.texts.values()) == ["One", "Two", "Two"]
    body = json.loads(server.received[0].body)
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["messages"][-1]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert outcome.usage is not None
    assert outcome.usage.cached_tokens == 2


@pytest.mark.parametrize("api", DIALECTS)
def test_parameters_of_ones_own_are_told_as_they_are_sent(api: str, tmp_path: Path) -> None:
    request = asking(api, temperature=0.5, custom_parameters={"top_k": 3, "seed": 1})

    with FakeServer(DIALECTS[api].answer("Yes")) as server:
        add_endpoint("fake", server.url, api)
        told = wire_body(request)
        outcome_of(request, model_at(server.url, api, tmp_path))

    assert told == json.loads(server.received[0].body)
    assert told["top_k"] == 3


def test_a_name_in_an_address_is_no_part_of_the_record(tmp_path: Path) -> None:
    with FakeServer(DIALECTS["chat"].answer("Yes")) as server:
        named = server.url.replace("http://", "http://user:planted@")
        outcome = outcome_of(asking("chat"), model_at(named, "chat", tmp_path))

    assert outcome.texts == {0: "Yes"}
    kept = outcome.evidence
    assert kept is not None
    assert "planted" not in repr(kept)
    assert str(kept.extra["url"]).startswith(server.url)


PLANTED = "planted-1234567890"


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{PLANTED}@127.0.0.1:9",
        f"http://127.0.0.1:9/?key={PLANTED}",
        f"http://127.0.0.1:9/v1#{PLANTED}",
        f"http://127.0.0.1:9/{PLANTED}/v1",
        "http://127.0.0.1:9/plante%64-1234567890/v1",
    ],
)
def test_an_address_with_what_may_be_a_key_is_refused_by_its_place(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", PLANTED)
    add_endpoint("fake", url, "chat")

    with pytest.raises(InvalidInput, match=r"\[fake\]\.base_url: .* in key_name") as refused:
        endpoint_settings()
    assert "1234567890" not in str(refused.value)


def test_a_key_that_is_kept_in_the_file_is_in_no_address() -> None:
    keep_key(key_file(), "OTHER_KEY", PLANTED)
    add_endpoint("fake", f"http://127.0.0.1:9/{PLANTED}", "chat")

    with pytest.raises(InvalidInput, match="holds a key"):
        endpoint_settings()


@pytest.mark.parametrize("name", [f"sk-{PLANTED}", "PLANTED1234567890"])
def test_a_key_in_place_of_its_name_is_not_repeated(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "PLANTED1234567890")
    add_endpoint("fake", "http://127.0.0.1:9", "chat", key_name=name)

    with pytest.raises(InvalidInput, match="key_name: the name of an environment variable") as refused:
        endpoint_settings()
    assert "1234567890" not in str(refused.value)


REFUSALS = {
    "temperature": "`temperature` is deprecated for this model.",
    "top_k": "top_k: Extra inputs are not permitted",
    "seed": "Unsupported parameter: 'seed' is not supported with this model.",
}


@pytest.mark.parametrize(("name", "api"), each_once(REFUSALS, DIALECTS))
def test_what_a_model_refuses_is_left_out_once_and_for_all(name: str, api: str, tmp_path: Path) -> None:
    refusal = fake_server.fails(400, {"error": {"type": "invalid_request_error", "message": REFUSALS[name]}})
    request = asking(api, temperature=0.5, custom_parameters={"top_k": 3, "seed": 1})

    with FakeServer(refusal, DIALECTS[api].answer("Yes")) as server:
        first = outcome_of(request, model_at(server.url, api, tmp_path))
        second = outcome_of(request, model_at(server.url, api, tmp_path))

    assert (first.texts, first.error, first.notes) == ({0: "Yes"}, None, [f"this model ignores {name}"])
    assert (second.texts, second.notes) == ({0: "Yes"}, [])
    bodies = [json.loads(request.body) for request in server.received]
    assert [name in body for body in bodies] == [True, False, False]


def test_a_model_that_writes_one_answer_at_a_time_is_asked_as_often_as_needed(tmp_path: Path) -> None:
    refusal = fake_server.fails(400, {"error": {"message": "'n' is not supported", "param": "n"}})

    with FakeServer(refusal, DIALECTS["chat"].answer("Yes")) as server:
        running = begin(asking("chat", n=3), model_at(server.url, "chat", tmp_path), choices=8)
        outcome = Outcome().take(running.follow())
        assert running.join(60)

    assert (outcome.texts, outcome.error) == ({0: "Yes", 1: "Yes", 2: "Yes"}, None)
    assert [json.loads(request.body).get("n") for request in server.received] == [3, None, None, None]


def test_a_server_that_never_heard_of_n_is_asked_for_the_rest_one_by_one(tmp_path: Path) -> None:
    answers = [DIALECTS["chat"].answer(text) for text in ("One", "Two", "Three")]

    with FakeServer(*answers) as server:
        running = begin(asking("chat", n=3), model_at(server.url, "chat", tmp_path), choices=8)
        outcome = Outcome().take(running.follow())
        assert running.join(60)

    assert (outcome.texts[0], sorted(outcome.texts.values())) == ("One", ["One", "Three", "Two"])
    assert outcome.error is None
    kept = {number: one.body for one in running.evidence() for number in one.choices}
    assert all(outcome.texts[int(number)].encode() in body for number, body in kept.items())
    assert len(kept) == 3


def test_an_answer_that_broke_off_is_not_gone_on_with_by_another_one(tmp_path: Path) -> None:
    begun = [chunk("One"), chunk("Two, but", index=1), chunk(reason="stop"), DONE]
    with FakeServer(fake_server.says(*begun), DIALECTS["chat"].answer("Two.")) as server:
        outcome = outcome_of(asking("chat", n=2), model_at(server.url, "chat", tmp_path))

    assert outcome.texts == {0: "One", 1: "Two, but"}
    assert outcome.reasons == {0: "stop"}
    assert outcome.error is not None


def test_temperature_reaches_a_claude_that_still_takes_it_by_the_older_version(tmp_path: Path) -> None:
    with FakeServer(DIALECTS["messages"].answer("Yes")) as server:
        for temperature in (0.5, None):
            outcome_of(
                asking("messages", temperature=temperature), model_at(server.url, "messages", tmp_path)
            )

    versions = [request.headers["anthropic-version"] for request in server.received]
    assert versions[0] == "2023-06-01"
    assert versions[1] > versions[0]
    assert [json.loads(request.body).get("temperature") for request in server.received] == [0.5, None]


def test_thoughts_are_told_apart_from_text(tmp_path: Path) -> None:
    thought = {
        "messages": named(
            {"type": "content_block_delta", "index": 0,
             "delta": {"type": "thinking_delta", "thinking": "Hm."}}
        ),
        "responses": named(
            {"type": "response.reasoning_summary_text.delta", "delta": "Hm.", "item_id": "r",
             "output_index": 0, "summary_index": 0, "sequence_number": 1}
        ),
    }  # fmt: skip
    for api, event in thought.items():
        dialect = DIALECTS[api]
        script = fake_server.says(dialect.begins, event, dialect.says("Yes"), the_end(dialect))
        with FakeServer(script) as server:
            running = begin(asking(api), model_at(server.url, api, tmp_path))
            events = list(running.follow())
            assert running.join(60)

        assert ReasoningDelta(0, "Hm.") in events
        assert Outcome().take(events).texts == {0: "Yes"}


@pytest.mark.parametrize(("url", "api"), each_once(["{0}", "{0}/", "{0}/v1", "{0}/v1/", "{0}{1}"], DIALECTS))
def test_an_address_may_be_written_as_people_write_it(url: str, api: str, tmp_path: Path) -> None:
    path = DIALECTS[api].path
    with FakeServer(DIALECTS[api].answer("Yes")) as server:
        outcome = outcome_of(asking(api), model_at(url.format(server.url, path), api, tmp_path))

    assert outcome.error is None
    assert server.received[0].path == path
