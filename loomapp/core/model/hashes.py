"""Content hashes and their verification: what can be proved of each node.

contentHash = SHA-256 over, in this order, each field as an 8-byte big-endian length and its bytes:

1. canonical JSON of the content (sorted keys, no white space, UTF-8, no ASCII escapes)
2. the number of parents, as 8 big-endian bytes without a length; then each parent's contentHash as 32 raw
   bytes, in ascending order
3. createdAt, ISO 8601 with milliseconds and `Z`
4. authorAgentId (length 0 if there is none)
5. model nodes only: SHA-256 of the raw response body as 32 bytes, then the choice index in decimal digits;
   both of length 0 where there is no response
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Literal, NamedTuple, TypeAlias

from loomapp.core.model.content import Content, Text, content_to_json
from loomapp.core.model.entities import AuthorType, Edge, Node
from loomapp.core.model.tree import Tree
from loomapp.core.times import Milliseconds, iso_time


class ResponseDigest(NamedTuple):
    """Share of the raw response in a model node's hash."""

    body_sha256: bytes
    choice_index: int


MOVED = "moved"  # true at an edge that was moved: who has not the log of that grove is told by it
_EXACT = (str, tuple)  # kinds of which two that Python finds equal are the same
canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False
).encode
_FEW = 1000
_LENGTHS = tuple(length.to_bytes(8, "big") for length in range(_FEW))  # of nearly all fields
LONG = 100_000  # characters of a text that is not written down twice for one commit
# What JSON writes otherwise, as UTF-8; first the sign that it does so with.
_SIGNS = ("\\", '"', *map(chr, range(32)))
_ESCAPED = {sign.encode(): encode_basestring(sign)[1:-1].encode() for sign in _SIGNS}
# The last content that was written down, and how: a node's hash and its seal in the log both take it.
_last: list[tuple[Content | None, bytes]] = [(None, b"")]


def canonical_json(value: object) -> bytes:
    """The one way to write a JSON value down: sorted keys, no white space, UTF-8."""
    return canonical(value).encode("utf-8", "surrogatepass")


def is_same_json(one: object, other: object) -> bool:
    """Tell whether two values are the same in JSON, where 1, 1.0 and true differ; Python finds them equal."""
    if one != other:
        return False
    if one is None or isinstance(one, _EXACT):
        return True
    if not one:
        return type(one) is type(other)
    return canonical(one) == canonical(other)


def canonical_text(text: str) -> Iterator[bytes]:
    """The canonical JSON of a text in parts: a long one is not there several times."""
    yield b'"'
    for start in range(0, len(text), LONG):
        part = encode_basestring(text[start : start + LONG])[1:-1]
        yield part.encode("utf-8", "surrogatepass")
    yield b'"'


def content_hash(node: Node, response: ResponseDigest | None = None) -> str:
    """The hex SHA-256 that a node with this content, parents, time and author must carry."""
    author = node.author_type, node.author_agent_id
    return hash_of(node.content, node.parent_hashes, node.created_at, author, response)


def hash_of(
    content: Content,
    parent_hashes: Sequence[str],
    created_at: Milliseconds,
    author: tuple[AuthorType, str | None],
    response: ResponseDigest | None = None,
) -> str:
    """Hash a node that is not made yet; `author` is its type and its agent's id."""
    written = canonical_content(content)
    if response is None and len(parent_hashes) == 1 and len(written) <= LONG:
        return plain_hash(written, parent_hashes[0], created_at, author)
    parts = (
        _length(len(written)),
        written,
        _parents_field(parent_hashes),
        _TIME,
        iso_time(created_at).encode(),
        _author_fields(author) if response is None else _author_fields(author, response),
    )
    found = sha256()
    for part in parts:  # a long one is not copied for it
        found.update(part)
    return found.hexdigest()


def plain_hash(
    written: bytes, parent_hash: str, created_at: Milliseconds, author: tuple[AuthorType, str | None]
) -> str:
    """Hash a node of which the content is written down, below one other and without a response, as nearly all
    in a large tree. Raises: ValueError if the parent's hash is none.
    """
    parent = bytes.fromhex(parent_hash)
    length, parent_length = _length(len(written)), _length(len(parent))
    time = iso_time(created_at).encode()
    parts = length, written, _ONE, parent_length, parent, _TIME, time, _author_fields(author)
    return sha256(b"".join(parts)).hexdigest()


def _parents_field(hashes: Sequence[str]) -> bytes:
    parents = sorted(map(bytes.fromhex, hashes))
    return _length(len(parents)) + b"".join(map(_field, parents))


@lru_cache(maxsize=128)
def _author_fields(author: tuple[AuthorType, str | None], response: ResponseDigest | None = None) -> bytes:
    """The fields that tell of a node's author, and of the response that a model's rests on."""
    author_type, author_id = author
    of_author = _field((author_id or "").encode())
    if author_type != "model":
        return of_author
    if response is None:
        return of_author + _NO_RESPONSE
    return of_author + _field(response.body_sha256) + _field(str(response.choice_index).encode())


def _field(value: bytes) -> bytes:
    return _length(len(value)) + value


def canonical_content(content: Content) -> bytes:
    """The canonical JSON of a content; of a plain text at once: there are a hundred thousand to verify."""
    known, written = _last[0]
    if known is content:
        return written
    if type(content) is not Text or content.extra:
        written = canonical_json(content_to_json(content))
    else:
        written = plain_content(content.text)
    _last[0] = content, written
    return written


def plain_content(text: str) -> bytes:
    """The canonical JSON of a content that is a text and nothing else."""
    if len(text) > LONG:
        return _canonical_long(text)
    return f'{{"text":{encode_basestring(text)},"type":"text"}}'.encode("utf-8", "surrogatepass")


def _canonical_long(text: str) -> bytes:
    """Write a long text's canonical bytes in half the time: few signs are escaped, and each is looked for at
    once.
    """
    written = text.encode("utf-8", "surrogatepass")
    for sign, escaped in _ESCAPED.items():
        if sign in written:
            written = written.replace(sign, escaped)
    return b"".join((b'{"text":"', written, b'","type":"text"}'))


def _length(of: int) -> bytes:
    return _LENGTHS[of] if of < _FEW else of.to_bytes(8, "big")


_ONE = _length(1)
_TIME = _length(len(iso_time(0)))
_NO_RESPONSE = _field(b"") * 2


def digest_of_words(tree_id: str, nodes: Iterable[Node], edges: Iterable[Edge]) -> str:
    """A short digest of what the nodes of a tree say and how they hang together, whenever they were made: the
    same for a file that was written by hand, each time it is read.
    """
    found = sha256(_field(tree_id.encode()))
    for node in nodes:
        for part in (node.id.encode(), node.author_type.encode(), canonical_content(node.content)):
            found.update(_field(part))
    for edge in edges:
        ends = (edge.type, edge.target_id, *(source.node_id for source in edge.sources))
        found.update(_field(canonical_json(ends)))
    return found.hexdigest()[:16]


Verdict: TypeAlias = Literal["ok", "no evidence", "moved", "failed"]


class Finding(NamedTuple):
    """Verdict of the verification on one node; `reason` is empty when it is ok."""

    node_id: str
    local_id: str
    verdict: Verdict
    reason: str = ""


def verify(
    tree: Tree,
    responses: Mapping[str, ResponseDigest],
    *,
    moved: frozenset[str] = frozenset(),
    answered: frozenset[str] = frozenset(),
) -> list[Finding]:
    """One finding for each node, in the tree's order.

    `responses` are the digests of what the file holds now. `moved` are nodes whose branch was re-parented
    by a recorded Change: their stored parents may differ. A version added to an edge later does not count.
    `answered` are nodes that came with a response: one of them without it has lost it, while a model node
    that came without is no evidence, even if its hash was made with a response that is kept elsewhere.
    """
    return list(verify_each(tree, responses, moved, answered))


def verify_each(
    tree: Tree, responses: Mapping[str, ResponseDigest], moved: AbstractSet[str], answered: AbstractSet[str]
) -> Iterator[Finding]:
    """Yield the findings of `verify` one by one, for those who look at each node in other ways, too."""
    nodes, above = tree.nodes, tree.plain_parents
    for key, node in nodes.items():
        response = responses.get(key)
        parent = nodes.get(above.get(key, ""))
        is_below_it = parent is not None and node.parent_hashes == (parent.content_hash,)
        if is_below_it and is_as_hashed(node, response):  # as nearly every node
            yield Finding(key, node.local_id, *proved(node.author_type, response))
        else:
            yield verify_node(tree, node, response, moved=key in moved, answered=key in answered)


def is_as_hashed(node: Node, response: ResponseDigest | None = None) -> bool:
    """Tell whether a node is what its hash says; also not if its parent hashes are no hashes."""
    try:
        return content_hash(node, response) == node.content_hash
    except ValueError:
        return False


def verify_node(
    tree: Tree,
    node: Node,
    response: ResponseDigest | None,
    *,
    moved: bool = False,
    answered: bool = False,
) -> Finding:
    """Verify one node with the parents it was written under; see `verify`."""
    above = tree.plain_parents.get(node.id)
    if above is not None and above in tree.nodes:
        present = {tree.nodes[above].content_hash}
    else:
        present = _hashes(tree, _possible_parents(tree, node.id))
    moved = moved or any(edge.extra.get(MOVED) is True for edge in tree.incoming(node.id))
    return verify_below(present, node, response, moved=moved, answered=answered)


def verify_below(
    present: set[str],
    node: Node,
    response: ResponseDigest | None,
    *,
    moved: bool = False,
    answered: bool = False,
) -> Finding:
    """Verify a node without its tree; `present` are the hashes of what its edge begins at."""
    verdict, reason = _verdict(present, node, response, moved=moved, answered=answered)
    return Finding(node.id, node.local_id, verdict, reason)


def _verdict(
    present: set[str], node: Node, response: ResponseDigest | None, *, moved: bool, answered: bool
) -> tuple[Verdict, str]:
    try:
        expected = content_hash(node, response)
    except ValueError:
        return "failed", "its parent hashes are not hashes"
    if expected != node.content_hash:
        if node.author_type == "human" or response is not None:
            return "failed", "its text, time, author or response is not what was hashed"
        if answered:
            return "failed", "its text, time or author is not what was hashed, or its response is gone"
        return "no evidence", "its hash covers a response that is not kept here"
    if not present.issuperset(node.parent_hashes) or (present and not node.parent_hashes):
        if moved:
            return "moved", "its branch was moved; the parents it was written under are recorded"
        return "failed", "the nodes before it are not those it was written under"
    return proved(node.author_type, response)


def proved(author_type: AuthorType, response: ResponseDigest | None) -> tuple[Verdict, str]:
    """The verdict on a node that is as it was hashed, below the nodes it was written under, and why."""
    if author_type == "model" and response is None:
        return "no evidence", "no response was kept for it"
    return "ok", ""


def with_reasons(findings: Iterable[Finding], faults: Iterable[tuple[str, str]]) -> list[Finding]:
    """The findings, failed where there is a fault: (node id, why). One without a finding comes last."""
    faults = list(faults)
    if not faults:  # nearly always: nobody need be looked for
        return list(findings)
    found = {finding.node_id: finding for finding in findings}
    for node_id, reason in faults:
        before = found.get(node_id) or Finding(node_id, "", "failed")
        reasons = [before.reason] if before.verdict == "failed" and before.reason else []
        told = "; ".join(dict.fromkeys((*reasons, reason)))
        found[node_id] = before._replace(verdict="failed", reason=told)
    return list(found.values())


def _possible_parents(tree: Tree, node_id: str) -> Iterable[str]:
    for edge in tree.incoming(node_id):  # a note stands on its node, it does not continue it
        for source in edge.sources:
            yield source.node_id


def _hashes(tree: Tree, node_ids: Iterable[str]) -> set[str]:
    return {tree.nodes[node_id].content_hash for node_id in node_ids if node_id in tree.nodes}
