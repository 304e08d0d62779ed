"""What each protocol looks like on the wire, for scripted servers: the same answer in four dialects."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.kit.servers.fake_server import DONE, Script, chunk, event, says, usage


@dataclass(frozen=True, slots=True)
class Dialect:
    """`says` is a piece of text as bytes; `ends` closes an answer with a reason, `usage` and terminator.

    `filtered` is the reason of an answer that was refused; `fault` an error told in the middle.
    """

    api: str
    path: str
    begins: bytes
    says: Callable[[str], bytes]
    ends: Callable[[str], bytes]
    terminator: bytes  # the last event of `ends`, without which an answer is cut off
    stopped: str
    filtered: str
    fault: bytes

    def answer(self, text: str) -> Script:
        """A whole and proper answer of one choice."""
        return says(self.begins, self.says(text), self.ends(self.stopped))


def named(value: dict[str, object]) -> bytes:
    """A server-sent event with a name, which is its type's."""
    return f"event: {value['type']}\n".encode() + b"data: " + json.dumps(value).encode() + b"\n\n"


def _delta(text: str) -> bytes:
    return named({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})


MESSAGE_STOP = named({"type": "message_stop"})
MESSAGE_START = named(
    {
        "type": "message_start",
        "message": {
            "id": "answer-1",
            "type": "message",
            "role": "assistant",
            "model": "fake-1",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {
                "input_tokens": 4,
                "cache_read_input_tokens": 2,
                "cache_creation_input_tokens": 1,
                "output_tokens": 1,
            },
        },
    }
)
BLOCK_START = named(
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
)


def _message_end(reason: str) -> bytes:
    delta = {"stop_reason": reason, "stop_sequence": None}
    counted = {"output_tokens": 3}
    return (
        named({"type": "content_block_stop", "index": 0})
        + named({"type": "message_delta", "delta": delta, "usage": counted})
        + MESSAGE_STOP
    )


def _response(status: str, **fields: object) -> dict[str, object]:
    known: dict[str, object] = {
        "id": "answer-1", "object": "response", "created_at": 1, "model": "fake-1", "status": status,
        "output": [], "error": None, "incomplete_details": None, "usage": None,
    }  # fmt: skip
    return known | fields


def _response_end(reason: str) -> bytes:
    counted = {
        "input_tokens": 7, "output_tokens": 3, "total_tokens": 10,
        "input_tokens_details": {"cached_tokens": 2}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    if reason == "completed":
        ended = _response(reason, usage=counted)
    else:
        ended = _response("incomplete", usage=counted, incomplete_details={"reason": reason})
    return named({"type": f"response.{ended['status']}", "response": ended, "sequence_number": 9})


def _completion(text: str | None, reason: str | None = None) -> bytes:
    choice = {"index": 0, "text": text or "", "finish_reason": reason, "logprobs": None}
    return event({"id": "answer-1", "model": "fake-1", "object": "text_completion", "choices": [choice]})


OVERLOADED = {"message": "Overloaded", "type": "overloaded_error"}

DIALECTS: Mapping[str, Dialect] = {
    dialect.api: dialect
    for dialect in (
        Dialect(
            "messages", "/v1/messages", MESSAGE_START + BLOCK_START, _delta, _message_end, MESSAGE_STOP,
            "end_turn", "refusal", named({"type": "error", "error": OVERLOADED}),
        ),
        Dialect(
            "chat", "/v1/chat/completions", b"", chunk,
            lambda reason: chunk(reason=reason) + usage(7, 3) + DONE,
            DONE, "stop", "content_filter", event({"error": OVERLOADED}),
        ),
        Dialect(
            "responses", "/v1/responses",
            named({"type": "response.created", "response": _response("in_progress"), "sequence_number": 0}),
            lambda text: named(
                {"type": "response.output_text.delta", "delta": text, "item_id": "m", "output_index": 0,
                 "content_index": 0, "sequence_number": 1, "logprobs": []}
            ),
            _response_end, _response_end("completed"), "completed", "content_filter",
            named({"type": "error", "code": "server_error", "message": "Overloaded", "param": None,
                   "sequence_number": 2}),
        ),
        Dialect(
            "completions", "/v1/completions", b"", _completion,
            lambda reason: _completion(None, reason) + usage(7, 3) + DONE,
            DONE, "stop", "content_filter", event({"error": OVERLOADED}),
        ),
    )
}  # fmt: skip
