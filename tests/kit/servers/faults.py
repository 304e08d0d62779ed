"""Everything that servers and networks were seen to do wrong, or only oddly, in any protocol."""
# ruff: noqa: E501 - a row a fault

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import formatdate

from tests.kit.servers.dialects import Dialect
from tests.kit.servers.fake_server import Conversation, Script

FaultScript = Callable[[Dialect], Script]
Part = Callable[[Dialect], bytes]

WELL = ""  # in place of a code: the answer is whole


@dataclass(frozen=True, slots=True)
class Fault:
    """What a server does, the code that it ends in, the text that is kept, how often it is asked."""

    make: FaultScript
    code: str = WELL
    text: str = ""
    attempts: int = 1


def once(dialect: Dialect) -> bytes:
    return dialect.begins + dialect.says("Once")


def upon(dialect: Dialect) -> bytes:
    return dialect.says(" upon")


def the_end(dialect: Dialect) -> bytes:
    return dialect.ends(dialect.stopped)


def whole(dialect: Dialect) -> bytes:
    return once(dialect) + upon(dialect) + the_end(dialect)


def raw(*parts: bytes | Part) -> FaultScript:
    """These bytes on the wire, the status line included, then the end."""

    def make(dialect: Dialect) -> Script:
        def script(conversation: Conversation) -> None:
            for part in parts:
                conversation.send(part if isinstance(part, bytes) else part(dialect))

        return script

    return make


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n"


def body(change: Callable[[bytes], bytes]) -> FaultScript:
    """A whole answer, spelled in another way."""
    return raw(HEAD + b"\r\n", lambda dialect: change(whole(dialect)))


def chunked(data: bytes, *, ends: bool = True) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data) + (b"0\r\n\r\n" if ends else b"")


def in_chunks(change: Callable[[Dialect], bytes]) -> FaultScript:
    return raw(HEAD + b"transfer-encoding: chunked\r\n\r\n", change)


def without_terminator(dialect: Dialect) -> bytes:
    return once(dialect) + the_end(dialect).removesuffix(dialect.terminator)


def refuses(status: int, content: bytes = b"", kind: str = "application/json", **headers: str) -> FaultScript:
    """A status with a body as it stands."""

    def script(conversation: Conversation) -> None:
        conversation.head(status, kind, content_length=str(len(content)), **headers)
        conversation.send(content)

    return lambda dialect: script


def drips(data: Part) -> FaultScript:
    """One byte at a time."""

    def make(dialect: Dialect) -> Script:
        def script(conversation: Conversation) -> None:
            conversation.head()
            for byte in data(dialect):
                conversation.send(bytes((byte,)))

        return script

    return make


def bomb(fill: bytes, mebibytes: int) -> FaultScript:
    """Something small that unpacks to something large."""

    def make(dialect: Dialect) -> Script:
        def script(conversation: Conversation) -> None:
            conversation.head(content_encoding="gzip")
            conversation.send(gzip.compress(once(dialect)))
            piece = gzip.compress(fill * ((1 << 20) // len(fill)))
            for _ in range(mebibytes):
                conversation.send(piece)
            conversation.wait_until_left()

        return script

    return make


def floods(piece: bytes, most: int) -> FaultScript:
    """The same after a good beginning, again and again, until the client leaves or it is really enough."""

    def make(dialect: Dialect) -> Script:
        def script(conversation: Conversation) -> None:
            conversation.head()
            conversation.send(once(dialect))
            for _ in range(most // len(piece)):
                conversation.send(piece)
            conversation.wait_until_left()

        return script

    return make


def endless_head(conversation: Conversation) -> None:
    conversation.send(b"HTTP/1.1 200 OK\r\n")
    for number in range(100_000):
        conversation.send(b"x-%d: and so on\r\n" % number)


def silent(data: Part | None = None) -> FaultScript:
    """Says this much, or nothing at all, and then no more."""

    def make(dialect: Dialect) -> Script:
        def script(conversation: Conversation) -> None:
            if data is not None:
                conversation.head()
                conversation.send(data(dialect))
            conversation.wait_until_left()

        return script

    return make


def resets(data: Part | None = None) -> FaultScript:
    def make(dialect: Dialect) -> Script:
        def script(conversation: Conversation) -> None:
            if data is not None:
                conversation.head()
                conversation.send(data(dialect))
            conversation.reset()

        return script

    return make


def mebibyte_of_words(conversation: Conversation) -> None:
    conversation.head(400, "application/json")
    conversation.send(json.dumps({"error": {"message": "no " * 400_000}}).encode())


def refuses_for_ever(conversation: Conversation) -> None:
    conversation.head(401, "text/plain")
    for _ in range(200):
        conversation.send(b"x" * (1 << 20))


def error_object(**fields: object) -> FaultScript:
    """An error in an object, with the status that says that all is well."""
    return refuses(200, json.dumps(fields).encode())


def spliced(extra: bytes) -> FaultScript:
    """A whole answer with something between its events."""
    return raw(
        HEAD + b"\r\n",
        lambda dialect: once(dialect) + extra + upon(dialect) + extra + the_end(dialect) + extra,
    )


def deep(dialect: Dialect) -> bytes:
    return b"event: content_block_delta\ndata: " + b"[" * 100_000 + b"\n\n"


def in_halves(dialect: Dialect, first: bytes, second: bytes) -> bytes:
    """A piece of text in two events, as the server escapes it."""
    return b"".join(dialect.says("X").replace(b'"X"', b'"%s"' % half) for half in (first, second))


def cr(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r")


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def in_lines(data: bytes) -> bytes:
    """Each event's JSON over several lines."""
    lines = []
    for line in data.split(b"\n"):
        if line.startswith(b"data: {"):
            lines += [
                b"data: " + one for one in json.dumps(json.loads(line[6:]), indent=1).encode().split(b"\n")
            ]
        else:
            lines.append(line)
    return b"\n".join(lines)


ODD: Mapping[str, Fault] = {
    "HTTP/1.0": Fault(raw(HEAD.replace(b"1.1", b"1.0") + b"\r\n", whole), text="Once upon"),
    "a byte order mark": Fault(body(lambda data: b"\xef\xbb\xbf" + data), text="Once upon"),
    "CRLF": Fault(body(crlf), text="Once upon"),
    "CR": Fault(body(cr), text="Once upon"),
    "comments": Fault(spliced(b": ping\n\n:\n"), text="Once upon"),
    "no space after data": Fault(body(lambda data: data.replace(b"data: ", b"data:")), text="Once upon"),
    "data over several lines": Fault(body(in_lines), text="Once upon"),
    "unknown events": Fault(spliced(b"event: weather\ndata: rain\n\nevent: sun\n\nid: 4\nretry: 9\nx: y\n\n"), text="Once upon"),
    "a byte at a time": Fault(drips(whole), text="Once upon"),
    "chunked": Fault(in_chunks(lambda dialect: chunked(whole(dialect))), text="Once upon"),
    "two terminators": Fault(raw(HEAD + b"\r\n", lambda d: whole(d) + d.terminator), text="Once upon"),
    "text after the terminator": Fault(raw(HEAD + b"\r\n", lambda d: whole(d) + d.says(" a time")), text="Once upon"),
    "reset after the terminator": Fault(resets(whole), text="Once upon"),
    "silence after the terminator": Fault(silent(whole), text="Once upon"),
    "no blank line at the end": Fault(body(lambda data: data.rstrip(b"\n")), text="Once upon"),
    "content-length too large": Fault(raw(HEAD + b"content-length: 99999\r\n\r\n", whole), text="Once upon"),
    "100 Continue": Fault(raw(b"HTTP/1.1 100 Continue\r\n\r\n", HEAD + b"\r\n", whole), text="Once upon"),
    "103 Early Hints": Fault(raw(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" * 3, HEAD + b"\r\n", whole), text="Once upon"),
    "gzip in several members": Fault(
        raw(HEAD + b"content-encoding: gzip\r\n\r\n", lambda d: gzip.compress(once(d)) + gzip.compress(upon(d)) + gzip.compress(the_end(d))),
        text="Once upon",
    ),
    "another content type": Fault(raw(HEAD.replace(b"text/event-stream", b"text/plain") + b"\r\n", whole), text="Once upon"),
    "no content type": Fault(raw(b"HTTP/1.1 200 OK\r\n\r\n", whole), text="Once upon"),
    "halves of a character apart": Fault(raw(HEAD + b"\r\n", once, lambda d: in_halves(d, b"\\ud83d", b"\\ude00"), the_end), text="Once\U0001f600"),
    "half a character": Fault(raw(HEAD + b"\r\n", once, lambda d: in_halves(d, b"a\\ud83d", b"b"), the_end), text="Oncea\ufffdb"),
    "a reason that cannot be saved": Fault(body(lambda data: re.sub(rb'(_reason": )"\w+"', rb'\1"\\ud800\\u0000"', data)), text="Once upon"),
    "counts that are none": Fault(body(lambda data: re.sub(rb'(_tokens": )\d+', rb'\1NaN', data)), text="Once upon"),
    "counts without end": Fault(body(lambda data: re.sub(rb'(_tokens": )\d+', rb'\g<1>' + b"9" * 400, data)), text="Once upon"),
    "trailers and chunk extensions": Fault(in_chunks(lambda d: b"%x;a=\"b\"\r\n%s\r\n0\r\nx: y\r\n\r\n" % (len(whole(d)), whole(d))), text="Once upon"),
    "choices nobody asked for": Fault(body(lambda data: data.replace(b'"choices": [', b'"choices": [{"index": 5, "delta": {"content": "X"}, "text": "X", "finish_reason": null}, ')), text="Once upon"),
}  # fmt: skip

TRUNCATED = {
    "chunks cut off": Fault(in_chunks(lambda d: chunked(once(d), ends=False)), "networkError", "Once"),
    "half a chunk": Fault(
        in_chunks(lambda d: chunked(once(d), ends=False) + b"fff\r\n" + upon(d)), "networkError", "Once upon"
    ),
    "cut off before content-length": Fault(
        raw(HEAD + b"content-length: 99999\r\n\r\n", once), "networkError", "Once"
    ),
    "content-length too small": Fault(
        raw(HEAD, lambda d: b"content-length: %d\r\n\r\n" % len(once(d)), whole), "networkError", "Once"
    ),
    "half a line": Fault(raw(HEAD + b"\r\n", once, lambda d: upon(d)[:-20]), "networkError", "Once"),
    "half a gzip": Fault(
        raw(HEAD + b"content-encoding: gzip\r\n\r\n", lambda d: gzip.compress(once(d)), b"\x1f\x8b\x08"),
        "networkError",
        "Once",
    ),
    "no terminator": Fault(raw(HEAD + b"\r\n", without_terminator), "networkError", "Once"),
    "reset before": Fault(resets(), "networkError", attempts=3),
    "reset after the head": Fault(resets(lambda d: b""), "networkError", attempts=3),
    "closed at once": Fault(raw(), "networkError", attempts=3),
    "half a head": Fault(raw(HEAD[:30]), "networkError", attempts=3),
}

BROKEN = {
    "no HTTP": Fault(raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "serverError", attempts=3),
    "a header without a name": Fault(raw(HEAD + b": nobody\r\n no\x00body\r\n\r\n", whole), "serverError", attempts=3),
    "bad chunk sizes": Fault(raw(HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n", whole), "serverError", attempts=3),
    "two content-lengths": Fault(raw(HEAD + b"content-length: 5\r\ncontent-length: 6\r\n\r\n", whole), "serverError", attempts=3),
    "no gzip at all": Fault(raw(HEAD + b"content-encoding: gzip\r\n\r\n", whole), "serverError", attempts=3),
    "an unknown encoding": Fault(raw(HEAD + b"content-encoding: br\r\n\r\n", whole), "serverError", attempts=3),
    "a head without end": Fault(lambda d: endless_head, "serverError", attempts=3),
    "an event that nests without end": Fault(raw(HEAD + b"\r\n", once, deep), "serverError", "Once"),
    "an error in a 200": Fault(error_object(error={"message": "Overloaded", "type": "overloaded_error"}), "serverError", attempts=3),
    "a wrong key in a 200": Fault(error_object(error={"message": "bad key", "code": "invalid_api_key"}), "authenticationFailed"),
    "an error without words": Fault(error_object(error={"x": None}), "serverError", attempts=3),
    "an error that is a text": Fault(error_object(error="no"), "serverError", attempts=3),
    "an answer without a stream": Fault(error_object(id="x", choices=[]), "serverError", attempts=3),
    "a mebibyte of words": Fault(lambda d: mebibyte_of_words, "invalidRequest"),
    "a refusal without end": Fault(lambda d: refuses_for_ever, "authenticationFailed"),
    "a text that is a table": Fault(raw(HEAD + b"\r\n", once, lambda d: d.says("X").replace(b'"X"', b'{"a": 1}'), the_end), "serverError", "Once"),
    **{
        f"a refusal in {charset}": Fault(refuses(400, b'{"error": {"message": "no"}}', f"text/plain; charset={charset}"), "invalidRequest")
        for charset in ("base64", "zlib", "undefined", "idna", "no-such")
    },
    "money in words alone": Fault(refuses(429, b'{"error": {"message": "You exceeded your current quota, please check your plan and billing details."}}'), "rateLimited"),
    "a balance in words alone": Fault(refuses(400, b'{"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."}}'), "rateLimited"),
    "too long without a word for it": Fault(refuses(400, b'{"object": "error", "message": "This model\'s maximum context length is 100 tokens. You asked for 200 tokens."}'), "contextTooLong"),
    "too long in a text": Fault(refuses(400, b'{"error": "prompt is too long: 200 tokens > 100 maximum"}'), "contextTooLong"),
    "words made to be searched without end": Fault(refuses(400, b'{"error": {"message": "%s"}}' % (b"maximum context length is 1 tokens" * 20_000)), "invalidRequest"),
    "digits without end": Fault(refuses(400, b'{"error": {"message": "maximum context length is 1 tokens %s"}}' % (b"9" * 400_000)), "invalidRequest"),
    "words that nest": Fault(refuses(400, b'{"error": {"message": %s}}' % (b"[" * 900 + b"]" * 900)), "invalidRequest"),
    "a refusal that nests without end": Fault(refuses(400, b"[" * 100_000), "invalidRequest"),
    "a refusal in bad UTF-8": Fault(refuses(400, b'{"error": "\xff"}'), "invalidRequest"),
    "a refusal of wrong shapes": Fault(refuses(422, b'{"detail": [{"msg": "no", "loc": [1]}], "error": []}'), "invalidRequest"),
    "a refusal in an unknown encoding": Fault(refuses(404, b"xx", content_encoding="zstd"), "modelNotFound"),
    "204": Fault(refuses(204), "serverError", attempts=3),
    **{
        str(status): Fault(refuses(status, location="http://127.0.0.1:9/x"), "invalidRequest")
        for status in (300, 301, 302, 303, 304, 305, 307, 308)
    },
    **{
        str(status): Fault(refuses(status, b'{"error": {}}'), code, attempts=attempts)
        for status, code, attempts in (
            (405, "invalidRequest", 1), (410, "modelNotFound", 1), (418, "unknown", 1), (451, "contentFiltered", 1),
            (501, "serverError", 3), (504, "serverError", 3), (520, "serverError", 3), (599, "serverError", 3),
        )
    },
    **{
        f"429, Retry-After: {later}": Fault(refuses(429, retry_after=later), "rateLimited", attempts=attempts)
        for later, attempts in (
            ("0", 3), ("0.01", 3), ("-5", 3), ("soon", 3), ("121", 1), ("9" * 300, 1), ("1e400", 3),
            (formatdate(4e9, usegmt=True), 1), (formatdate(1e9, usegmt=True), 3), ("Mon, 99 Foo", 3),
        )
    },
}  # fmt: skip

LARGE = {
    "a bomb in one line": Fault(bomb(b"x", 1024), "serverError", "Once"),
    "a bomb of comments": Fault(bomb(b":" + b" " * 1023 + b"\n", 1024), "serverError", "Once"),
    "a bomb of lines": Fault(bomb(b"data: " + b" " * 1017 + b"\n", 1024), "serverError", "Once"),
    "a line of 64 MiB": Fault(floods(b"x" * (1 << 20), 64 << 20), "serverError", "Once"),
    "an event of 64 MiB": Fault(floods(b"data: " + b"x" * 1017 + b"\n", 64 << 20), "serverError", "Once"),
    "comments without end": Fault(floods(b": " + b"x" * 1021 + b"\n", 80 << 20), "serverError", "Once"),
}
