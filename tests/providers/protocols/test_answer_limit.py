"""Answers that never end: stopped far past what was asked for, kept, and said; in all four protocols."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.core.generation.drafts import Draft, fail, grow
from loomapp.core.generation.provider import ProviderError
from loomapp.providers.protocols.attempt import LEAST_CHARACTERS, Length
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.run.run import Ended, Retrying
from tests.kit.families import one_in
from tests.kit.servers.dialects import DIALECTS, Dialect
from tests.kit.servers.fake_server import Conversation, FakeServer, Script, event, says
from tests.providers.outcome import begin, outcome_of
from tests.providers.protocols.test_protocols import asking, model_at

PIECE = "word "
PIECES_AT_ONCE = 50


def endless(begins: bytes, piece: bytes) -> Script:
    """Small pieces until nobody listens."""

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(begins)
        while True:
            conversation.send(piece * PIECES_AT_ONCE)

    return script


@pytest.mark.parametrize("dialect", one_in(4, DIALECTS.values()))
def test_an_answer_without_an_end_is_stopped_kept_and_said(dialect: Dialect, tmp_path: Path) -> None:
    with FakeServer(endless(dialect.begins, dialect.says(PIECE))) as server:
        running = begin(asking(dialect.api), model_at(server.url, dialect.api, tmp_path))
        draft, ended = Draft(0), None
        for told in running.follow():
            if isinstance(told, Ended):
                ended = told
            elif not isinstance(told, Retrying):
                draft = grow(draft, told)
        assert running.join(60)

    assert len(server.received) == 1
    assert ended is not None
    assert isinstance(ended.error, ProviderError)
    assert ended.error.code == "serverError"
    assert "went on and on" in ended.error.message
    assert "what came is kept" in ended.error.message
    assert LEAST_CHARACTERS < len(draft.text) <= LEAST_CHARACTERS + len(PIECE)
    assert set(draft.text.split()) == {PIECE.strip()}
    assert fail(draft, ended.error).interrupted == "provider error"
    [evidence] = ended.evidence
    assert evidence.body.count(PIECE.encode()) >= len(draft.text) // len(PIECE)


def test_reasoning_without_an_end_is_stopped_too(tmp_path: Path) -> None:
    delta = {"choices": [{"index": 0, "delta": {"reasoning_content": PIECE}, "finish_reason": None}]}
    piece = event({"id": "answer-1", "model": "fake-1", "object": "chat.completion.chunk", **delta})

    with FakeServer(endless(b"", piece)) as server:
        outcome = outcome_of(asking("chat"), model_at(server.url, "chat", tmp_path))

    assert outcome.error is not None
    assert "went on and on" in outcome.error.message
    assert "nothing was added" in outcome.error.message
    assert "kept" not in outcome.error.message
    assert len(server.received) == 1


def test_an_answer_that_ends_just_before_is_whole(tmp_path: Path) -> None:
    dialect = DIALECTS["chat"]
    text = "x" * LEAST_CHARACTERS

    with FakeServer(says(dialect.says(text), dialect.ends(dialect.stopped))) as server:
        outcome = outcome_of(asking("chat"), model_at(server.url, "chat", tmp_path))

    assert (outcome.error, outcome.texts) == (None, {0: text})


@pytest.mark.parametrize(
    ("asked", "own", "rules", "tokens"),
    [
        (2_000, {}, ModelRules(), 2_000),
        (2_000, {"max_completion_tokens": 9_000}, ModelRules(), 9_000),
        (None, {}, ModelRules(max_output=64_000), 64_000),
        (None, {"max_tokens": "many"}, ModelRules(context_window=8_192), 8_192),
    ],
)
def test_the_most_is_what_is_asked_for_else_what_the_model_can(
    asked: int | None, own: dict[str, object], rules: ModelRules, tokens: int
) -> None:
    length = Length(asking("chat", max_tokens=asked, custom_parameters=own), rules, Endpoint("Fake", "", ""))

    assert length.tokens == tokens
    assert length.most_characters == max(LEAST_CHARACTERS, tokens * 32)
