"""A response kept as it came: what model nodes rest on, saved with the Change that makes them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from loomapp.core.model.content import Extra
from loomapp.core.model.decompression import pieces_of, unpacked
from loomapp.core.model.hashes import ResponseDigest
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

    def with_texts(self, rules: Mapping[str, str]) -> Evidence:
        """Return this evidence with those of the rules that are of its nodes."""
        return replace(self, texts={name: rules[name] for name in self.choices if name in rules})

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


def sha256_of(body_gzip: bytes) -> bytes:
    """SHA-256 of a packed body, of which one piece is in memory. Raises: errors of `unpacking.UNREADABLE`."""
    sha256 = hashlib.sha256()
    for piece in pieces_of(body_gzip):
        sha256.update(piece)
    return sha256.digest()


def compress(body: bytes) -> bytes:
    """Gzip without a time stamp, so that the same body gives the same bytes."""
    return gzip.compress(body, mtime=0)
