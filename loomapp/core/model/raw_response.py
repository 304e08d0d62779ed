"""A response kept as it came, packed: what model nodes rest on, saved with the Change that makes them."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import Extra
from loomapp.core.model.hashes import ResponseDigest, canonical_json, canonical_text
from loomapp.core.times import Milliseconds

RECORD = "context"  # of a response's extra: what its request was assembled from, see `core.sent.record`


@dataclass(frozen=True, slots=True)
class Evidence:
    """A RawApiResponse: one HTTP exchange as it was, without credentials. Never modified once saved."""

    id: str
    provider: str
    request_body: str
    body_gzip: bytes  # of the response body, exactly as received
    request_id: str | None = None
    model: str | None = None  # as returned
    headers: Mapping[str, str] = field(default_factory=dict)
    started_at: Milliseconds = 0
    ended_at: Milliseconds = 0
    latency_ms: int | None = None  # to the first byte of the body
    usage: Mapping[str, object] = field(default_factory=dict)
    finish_reason: str | None = None
    choices: Mapping[str, int] = field(default_factory=dict)
    """Node id -> choice index. Until its drafts are nodes: number of the draft, in digits -> choice index."""
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Node id -> the rule by which its text was taken, see `response_text.rules`, as far as it is known."""
    extra: Extra = field(default_factory=dict)
    zipped_request: bytes | None = field(default=None, compare=False, repr=False)
    """The request body as it is kept, compressed already by the thread that sent it: it may be megabytes."""
    seal_begun: hashlib.blake2b | None = field(default=None, compare=False, repr=False)
    """The seal as far as the same thread has taken it, by `begin_seal`."""

    def with_texts(self, rules: Mapping[str, str]) -> Evidence:
        """Return this evidence with those of the rules that are of its nodes."""
        return replace(self, texts={name: rules[name] for name in self.choices if name in rules})

    def with_record(self, record: Mapping[str, object] | None) -> Evidence:
        """Return this evidence with the record of its request, if there is one."""
        return self if record is None else replace(self, extra={**self.extra, RECORD: record})

    @property
    def request_gzip(self) -> bytes:
        if self.zipped_request is not None:
            return self.zipped_request
        return compress(self.request_body.encode("utf-8", "surrogatepass"))

    @property
    def body(self) -> bytes:
        """The response body as it was received, all at once. Raises: errors of `unpacking.UNREADABLE`."""
        return unpacked(self.body_gzip)

    def digest(self, node_id: str) -> ResponseDigest:
        """Return what the hash of one node takes from this response. Raises: `unpacking.UNREADABLE`."""
        return ResponseDigest(sha256_of(self.body_gzip), self.choices[node_id])

    def digests(self) -> list[tuple[str, ResponseDigest]]:
        """List each node of this response with what its hash takes. Raises: `unpacking.UNREADABLE`."""
        sha256 = sha256_of(self.body_gzip)
        return [(node_id, ResponseDigest(sha256, index)) for node_id, index in self.choices.items()]


def begin_seal(evidence_id: str, provider: str, request_body: str) -> hashlib.blake2b:
    """Take the first part of a response's seal, up to the end of its request; `store.rows.change_log.seal`
    takes the rest.
    """
    digest = hashlib.blake2b(canonical_json([evidence_id, provider])[:-1] + b",", digest_size=12)
    for piece in canonical_text(request_body):
        digest.update(piece)
    return digest


def sha256_of(body_gzip: bytes) -> bytes:
    """SHA-256 of a packed body, of which one piece is in memory. Raises: errors of `unpacking.UNREADABLE`."""
    sha256 = hashlib.sha256()
    for piece in pieces_of(body_gzip):
        sha256.update(piece)
    return sha256.digest()


def compress(body: bytes) -> bytes:
    """Gzip without a time stamp, so that the same body gives the same bytes."""
    return gzip.compress(body, mtime=0)


MOST_BYTES = 64 << 20  # as much as providers record of one answer, whatever it packs to
PIECE_BYTES = 256 << 10
FED_BYTES = 16 << 10  # at once: what follows the end of a member is copied for each
WITH_GZIP_HEADER = 31

UNREADABLE = (OSError, EOFError, zlib.error)
"""Errors of unpacking; `TooLarge` is one of them."""


class TooLarge(gzip.BadGzipFile):
    """Packed data of a greater size than is unpacked for anybody."""


def unpacked(packed: bytes, most: int = MOST_BYTES) -> bytes:
    """Return what was packed by gzip. No more than `most` bytes and a piece are ever in memory.

    Raises: TooLarge; others of UNREADABLE for what is no whole gzip stream.
    """
    return b"".join(pieces_of(packed, most))


def pieces_of(packed: bytes, most: int = MOST_BYTES) -> Iterator[bytes]:
    """Give the same in pieces: what is done with each decides how much is ever in memory.

    Raises: as `unpacked`, once the fault is reached.
    """
    unpacker = Unpacker(WITH_GZIP_HEADER, most)
    yield from unpacker.feed(packed)
    if not unpacker.is_whole:
        raise EOFError("it ends before its end is marked")


class Unpacker:
    """Unpacks what comes bit by bit, members of gzip one after the other."""

    def __init__(self, window_bits: int, most: int = MOST_BYTES) -> None:
        """`window_bits` say which kinds of packing are known, as for zlib."""
        self._window_bits, self._most = window_bits, most
        self._member = zlib.decompressobj(window_bits)
        self.size = 0  # of all that was unpacked

    @property
    def is_whole(self) -> bool:
        """True if the end was marked, and nothing has begun after it."""
        return self._member.eof

    def feed(self, packed: bytes) -> Iterator[bytes]:
        """Give pieces of at most PIECE_BYTES, none of them empty. Raises: TooLarge; zlib.error."""
        for start in range(0, len(packed), FED_BYTES):
            rest, piece = packed[start : start + FED_BYTES], b""
            while rest or len(piece) == PIECE_BYTES:
                if self._member.eof:
                    rest = rest.lstrip(b"\0")  # gzip allows padding
                    if not rest:
                        break
                    self._member = zlib.decompressobj(self._window_bits)
                piece = self._member.decompress(rest, PIECE_BYTES)
                rest = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
                self.size += len(piece)
                if self.size > self._most:
                    raise TooLarge(f"it unpacks to more than {self._most >> 20} MiB")
                if piece:
                    yield piece
