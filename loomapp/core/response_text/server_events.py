"""Server-sent events of a body that was kept whole."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MOST_EVENT_BYTES = 8 << 20  # more was never taken from a server
MOST_LINES = 4_000_000  # an answer has fewer tokens; a few bytes unpack to more


def server_events(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give the name and the data of each event, in order; the name is empty for one that has none.

    Comments, events without data and everything that is no event are passed over, and an event that is too
    long is the end, as while it streamed.
    """
    name, size = b"", 0
    data: list[bytes] = []
    body = body.removeprefix(BYTE_ORDER_MARK)
    if b"\r" in body:
        body = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for ended in islice(io.BytesIO(body), MOST_LINES):  # one at a time: of empty ones there may be millions
        line = ended.rstrip(b"\n")
        if not line:
            if data:
                yield name, data[0] if len(data) == 1 else b" ".join(data)
            name, data, size = b"", [], 0
        elif line.startswith(b"data:"):
            data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            size += len(line)
            if size > MOST_EVENT_BYTES:
                return
        elif line.startswith(b"event:"):
            name = line[6:].strip()
    if data:
        yield name, b" ".join(data)
