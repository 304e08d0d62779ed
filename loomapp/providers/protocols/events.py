"""Server-sent events of an answer: handed on whole, in one spelling, without secrets, and never too long."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator

import httpx2

from loomapp.core.model.content import well_formed
from loomapp.core.response_text.body import MOST_EVENT_BYTES, MOST_EVENTS
from loomapp.providers.protocols.redaction import (
    Listener,
    begun_at,
    found_in,
    is_json,
    overwrite,
    unfinished_at,
)

LINE_END = re.compile(rb"\r\n|\r|\n")
TERMINATOR = re.compile(rb"data: ?\[DONE\]")
KNOWN = re.compile(rb"message|content_block|response\.|error|ping")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FIRST_HALF = re.compile("[\ud800-\udbff]")


class LimitExceeded(httpx2.DecodingError):
    """An answer larger than any model writes."""


class Events:
    """Cuts a body into server-sent events for an SDK, which then meets nothing odd and nothing endless.

    Each comes out whole, in one spelling: a name if it has one, its data in one line, a blank line. A byte
    order mark, comments, events without data and everything that is no event go; what the server sent back of
    the secrets is overwritten. What an event may take is bounded.
    """

    def __init__(
        self,
        secrets: Iterable[str],
        on_terminator: Callable[[], None],
        listener: Listener,
        *,
        has_names: bool = False,
    ) -> None:
        """`has_names`: the protocol names its events, and its SDK passes over those without a name. The
        `listener` hears each.
        """
        self._listener = listener
        self._has_names = has_names
        self._secrets = tuple(secrets)
        self._on_terminator = on_terminator
        self._line: list[bytes] = []  # what is there of the line that has not ended yet
        self._name = b""
        self._data: list[bytes] = []
        self._size = 0  # of the event that has not ended yet
        self._count = 0
        self._after_cr = False
        self._at_start = True

    def feed(self, piece: bytes) -> bytes:
        """The events that are whole now. Raises: LimitExceeded."""
        if self._after_cr and piece:
            piece = piece.removeprefix(b"\n")
            self._after_cr = False
        lines = LINE_END.split(piece)
        self._line.append(lines[0])
        self._grow(len(lines[0]))
        if len(lines) == 1:
            return b""
        self._after_cr = piece.endswith(b"\r")
        lines[0] = b"".join(self._line)
        self._size -= len(lines[0])
        self._line = [lines.pop()]
        whole = b"".join(event for line in lines if (event := self._ended_by(line)))
        self._grow(len(self._line[0]))
        return whole

    def rest(self) -> bytes:
        """An event that is whole but for its blank line, when the body has ended."""
        self._ended_by(b"".join(self._line))
        self._line = []
        return self._event() if is_json(b" ".join(self._data)) else b""

    def _ended_by(self, line: bytes) -> bytes:
        """Takes a line in; the event that it ends, if it does."""
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(BYTE_ORDER_MARK)
        if not line:
            return self._event()
        if line.startswith(b"data:"):
            if TERMINATOR.match(line):
                self._on_terminator()
            self._data.append(line[5:].removeprefix(b" "))
            self._grow(len(line))
        elif line.startswith(b"event:"):
            self._name = line[6:].strip()
        return b""

    def _event(self) -> bytes:
        name, data = (
            self._name,
            b" ".join(self._data),
        )  # data is JSON, where a line's end is as good as a blank
        self._name, self._data, self._size = b"", [], 0
        if not data or (name and not (KNOWN.match(name) or data.lstrip().startswith(b"{"))):
            return b""
        self._count += 1
        if self._count > MOST_EVENTS:  # nobody reads more of what is kept
            raise LimitExceeded(f"an answer of over {MOST_EVENTS} events")
        if self._has_names and not name:
            name = _name_of(data)
        data = overwrite(data, self._secrets)
        self._listener.listen(data)
        return (b"event: %s\n" % name if name else b"") + b"data: %s\n\n" % data

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MOST_EVENT_BYTES:
            raise LimitExceeded(f"an event of over {MOST_EVENT_BYTES} bytes")


def _name_of(data: bytes) -> bytes:
    """The name that an event should have had; what cannot be read is as bad as an error that is told."""
    if data.strip() == b"[DONE]":
        return b""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return b"error"
    if not isinstance(value, dict):
        return b"error"
    kind = value.get("type")
    if kind == "error" or "error" in value:
        return b"error"
    return kind.encode() if isinstance(kind, str) and re.fullmatch("[a-z_]{1,64}", kind) else b""


class Censor:
    """Overwrites secrets in a text that comes in pieces, also where one is spread over several.

    Halves of characters, which some servers send apart, come out whole; one that stays alone as U+FFFD.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(secret for secret in secrets if secret)
        self._held: dict[tuple[int, str], str] = {}

    def shown(self, key: tuple[int, str], text: str) -> str:
        """Return what can be shown of a text that goes on: without an end that may begin a secret or a
        character.
        """
        text = self._without(self._held.pop(key, "") + text)
        begun = begun_at(text, self._secrets)
        if begun == len(text) and FIRST_HALF.fullmatch(text[-1:]):
            begun -= 1
        if begun < len(text):
            self._held[key] = text[begun:]
        return well_formed(text[:begun])

    def rests(self, of: int | None = None) -> Iterator[tuple[tuple[int, str], str]]:
        """Return what was held back, of one choice or of all, and turned out to be no secret, or not half of
        one.
        """
        for key in [key for key in self._held if of is None or key[0] == of]:
            text = self._held.pop(key)
            begun = unfinished_at(text, self._secrets)
            yield key, well_formed(text[:begun] + "*" * (len(text) - begun))

    def _without(self, text: str) -> str:
        for begin, end in found_in(text, self._secrets):
            text = text[:begin] + "*" * (end - begin) + text[end:]
        return text
