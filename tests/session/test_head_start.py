"""The window has a head start before a long request, and none before a short one."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from loomapp.core.context.messages import Message, TextPart
from loomapp.core.generation import Request, Stop, StreamEvent, TextDelta
from loomapp.providers.exchange import Call
from loomapp.session.head_start import HEAD_START_S, LONG, HeadStart


class Speaker:
    """Says one word."""

    def stream(self, _request: Request, _stop: Stop) -> Iterator[StreamEvent]:
        yield TextDelta(0, "word")


@pytest.mark.parametrize(("count", "waits"), [(LONG, [HEAD_START_S]), (LONG - 1, [])])
def test_only_a_long_request_begins_later(
    count: int, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    request = Request("fake:model", messages=(Message("user", (TextPart("?"),)),) * count)

    events = list(HeadStart(Speaker()).stream(request, Call()))

    assert events == [TextDelta(0, "word")]
    assert waited == waits
