"""The window has a head start: what was asked for is shown first, and a long request waits a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from loomapp.core.context.messages import Message, TextPart
from loomapp.core.generation.provider import Request, Stop, StreamEvent, TextDelta
from loomapp.providers.protocols.exchange import Call
from loomapp.session.background.background_work import HEAD_START_S, LONG, LONGEST_S, HeadStart


class Speaker:
    """Says one word."""

    def stream(self, _request: Request, _stop: Stop) -> Iterator[StreamEvent]:
        yield TextDelta(0, "word")


def asked(count: int) -> Request:
    return Request("fake:model", messages=(Message("user", (TextPart("?"),)),) * count)


@pytest.mark.parametrize(("count", "waits"), [(LONG, [HEAD_START_S]), (LONG - 1, [])])
def test_only_a_long_request_begins_a_while_later(
    count: int, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    shown = threading.Event()
    shown.set()

    events = list(HeadStart(Speaker(), shown).stream(asked(count), Call()))

    assert events == [TextDelta(0, "word")]
    assert waited == waits


def test_a_worker_begins_when_the_window_has_shown_what_was_asked() -> None:
    shown, order = threading.Event(), list[str]()

    def show() -> None:
        order.append("shown")
        shown.set()

    window = threading.Timer(LONGEST_S / 5, show)
    window.start()
    order += [type(event).__name__ for event in HeadStart(Speaker(), shown).stream(asked(1), Call())]
    window.join()

    assert order == ["shown", "TextDelta"]


def test_a_busy_window_keeps_no_worker_for_long() -> None:
    assert list(HeadStart(Speaker(), threading.Event()).stream(asked(1), Call())) == [TextDelta(0, "word")]
