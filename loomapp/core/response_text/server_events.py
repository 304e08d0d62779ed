"""Server-sent events of a body that was kept whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

MOST_EVENT_BYTES = 8 << 20  # more was never taken from a server
MOST_EVENTS = 300_000  # eight answers of 32,000 tokens; a few bytes unpack to millions
MOST_LINES = 4 * MOST_EVENTS  # a name, its data, a blank line, and a comment now and then


def server_events(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Give the name and the data of each event, in order; the name is empty for one that has none.

    Comments, events without data and everything that is no event are passed over. Where an event is too long,
    or there are too many, is the end, as while it streamed.
    """
    name, size, line_count, event_count = b"", 0, 0, 0
    data: list[bytes] = []
    for lines in _whole_lines(pieces):
        line_count += len(lines)
        for line in lines:
            if not line:
                if data:
                    yield name, data[0] if len(data) == 1 else b" ".join(data)
                    event_count += 1
                name, data, size = b"", [], 0
            elif line.startswith(b"data:"):
                data.append(line[6:] if line.startswith(b"data: ") else line[5:])
                size += len(line)
                if size > MOST_EVENT_BYTES:
                    return
            elif line.startswith(b"event:"):
                name = line[6:].strip()
        if line_count > MOST_LINES or event_count >= MOST_EVENTS:
            return
    if data:
        yield name, b" ".join(data)


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines that end in each piece, without their ends; last, one that does not end. One that is longer
    than any event is the end.
    """
    begun: list[bytes] = []  # pieces of the line that has not ended yet
    size = 0
    for piece in _with_one_end(pieces):
        if b"\n" in piece:
            *lines, rest = b"".join((*begun, piece)).split(b"\n")
            yield lines
            begun, size = [rest], len(rest)
        else:
            begun.append(piece)
            size += len(piece)
        if size > MOST_EVENT_BYTES:
            return
    yield [b"".join(begun)]


def _with_one_end(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Give the pieces with line feeds at the ends of all lines."""
    is_after_return = False
    for piece in pieces:
        plain = piece.removeprefix(b"\n") if is_after_return else piece
        is_after_return = piece.endswith(b"\r")
        yield plain.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in plain else plain
