"""Context summaries: the hash of what one covers, which are valid on a path, and all that one says."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.economy.calls import Call, SummaryKey
from loomapp.core.errors import AssemblyError
from loomapp.core.json_values import count_at, text_at
from loomapp.core.model.entities import ContextSummary, Metadata, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.core.text.token_counts import as_one_message

# What became of a covered node: it gained or lost a flag, came in, or is not on the path any more.
Cause: TypeAlias = Literal["pruned", "restored", "excluded", "included", "added", "gone", "flags"]


def covered_hash(path: Path, anchor_place: int, flagged: Sequence[int] | None = None) -> str:
    """The hex SHA-256 of what a summary covers that is anchored at a place of a path; `flagged` as below."""
    return covered_hashes(path, (anchor_place,), flagged)[anchor_place]


def covered_hashes(path: Path, places: Iterable[int], flagged: Sequence[int] | None = None) -> dict[int, str]:
    """Return the hashes of several anchors in one walk: of the canonical JSON list of the nodes from the
    first to the anchor, each its id, or the id with the flags that hold. `flagged` are the places of all
    nodes that may have any, where they are known.
    """
    found: dict[int, str] = {}
    digest, begin = sha256(b"["), 0
    for place in sorted(set(places)):
        if flagged is None:
            here = _flagged(path.nodes[begin : place + 1])
        else:
            here = [i for i in flagged if begin <= i <= place and flags_of(path.nodes[i].metadata)]
        entries = _listed(path, begin, place + 1, has_flags=bool(here))
        digest.update(f"{',' if begin else ''}{entries}".encode("utf-8", "surrogatepass"))
        begin = place + 1
        closed = digest.copy()
        closed.update(b"]")
        found[place] = closed.hexdigest()
    return found


def _listed(path: Path, begin: int, end: int, *, has_flags: bool) -> str:
    """Neighbours on a path in the canonical list. Nearly always none has a flag and no sign is escaped but
    the quotes that stand between: then their ids are written down together.
    """
    node_ids = path.node_ids[begin:end]
    together = '","'.join(node_ids)
    if has_flags or len(encode_basestring(together)) != len(together) + 2 * len(node_ids):
        return ",".join(_entries(path.nodes[begin:end]))
    return f'"{together}"'


def _entries(nodes: Sequence[Node]) -> list[str]:
    """The nodes as the canonical list holds them. Few have flags, so that those are put in afterwards."""
    entries = [encode_basestring(node.id) for node in nodes]
    for i in _flagged(nodes):
        entries[i] = _entry_of(nodes[i].id, flags_of(nodes[i].metadata))
    return entries


def _flagged(nodes: Sequence[Node]) -> list[int]:
    return [i for i, node in enumerate(nodes) if (flags := node.metadata).pruned or flags.excluded]


def flags_of(metadata: Metadata) -> tuple[str, ...]:
    """The flags of a node that its summaries cover, those that hold."""
    flags = (("pruned", metadata.pruned), ("excluded", metadata.excluded))
    return tuple(name for name, holds in flags if holds)


@dataclass(frozen=True, slots=True)
class AnchoredSummary:
    """A summary whose anchor is on a path: at which place, and whether it holds for the path as it is now."""

    row: ContextSummary
    place: int
    is_valid: bool

    @property
    def text(self) -> str:
        return text_of(self.row)


def text_of(row: ContextSummary) -> str:
    """The text of a summary, stripped; empty where it has none."""
    text = row.body.get("text")
    return text.strip() if isinstance(text, str) else ""


def made_hashes(tree: Tree, anchors: Container[str]) -> dict[str, ContextSummary]:
    """The context summaries of a tree; those at `anchors` that have no hash get that of what they cover now,
    on the path to their anchor by the choices that the tree stores. One whose path cannot be walked stays
    without.
    """
    found: dict[str, ContextSummary] = {}
    for row in tree.context_summaries.values():
        is_made = not row.covered_hash and row.anchor_node_id in anchors
        made = _with_hash(tree, row) if is_made else row
        found[made.key] = made
    return found


def _with_hash(tree: Tree, row: ContextSummary) -> ContextSummary:
    try:
        path = resolve(tree, row.anchor_node_id)
    except AssemblyError:
        return row
    return replace(row, covered_hash=covered_hash(path, len(path.node_ids) - 1))


def summaries_on(tree: Tree, path: Path) -> list[AnchoredSummary]:
    """All summaries that are anchored on a path, those nearest to the root first; of one node in the order in
    which they were made.
    """
    if not tree.context_summaries:
        return []
    anchored = [
        (place, row)
        for row in tree.context_summaries.values()
        if (place := path.place_of(row.anchor_node_id)) is not None
    ]
    hashes = covered_hashes(path, (place for place, _ in anchored))
    found = [AnchoredSummary(row, place, row.covered_hash == hashes[place]) for place, row in anchored]
    return sorted(found, key=lambda summary: summary.place)


def valid_on(tree: Tree, path: Path) -> list[AnchoredSummary]:
    """Return the summaries that hold for the path and say something."""
    return [summary for summary in summaries_on(tree, path) if summary.is_valid and summary.text]


def covered_by(tree: Tree, row: ContextSummary) -> Sequence[str]:
    """The nodes that a summary stands for on the path to its anchor; none if it does not hold, says nothing,
    or its anchor is gone.
    """
    if row.anchor_node_id not in tree.nodes or not text_of(row):
        return ()
    try:
        path = resolve(tree, row.anchor_node_id)
    except AssemblyError:
        return ()
    is_valid = row.covered_hash == covered_hash(path, len(path.node_ids) - 1)
    return path.node_ids if is_valid else ()


# What changed since a summary was made


@dataclass(frozen=True, slots=True)
class CoverageChange:
    """Changes of what a stale summary covers, node by node; empty where it still holds."""

    node_ids: Mapping[Cause, tuple[str, ...]] = field(default_factory=dict)


def what_changed(tree: Tree, path: Path, row: ContextSummary) -> CoverageChange:
    """Tell what a stale summary's path has otherwise by now: nodes that it covers and that are gone, nodes
    that it does not cover, and else flags.

    The row knows the nodes it was made of beyond the one it is based on; that one is looked up, and so on. A
    flag that alone makes the difference is named, where there is one such; several are told as `flags`.
    """
    place = path.place_of(row.anchor_node_id)
    if place is None:
        return CoverageChange({"gone": (row.anchor_node_id,)})
    if covered_hash(path, place) == row.covered_hash:
        return CoverageChange()
    covered = covered_ids(tree, row)
    present = path.node_ids[: place + 1]
    found: dict[Cause, tuple[str, ...]] = {}
    if covered is not None:
        old, new = frozenset(covered), frozenset(present)
        found["gone"] = tuple(node_id for node_id in covered if node_id not in new)
        found["added"] = tuple(node_id for node_id in present if node_id not in old)
    if not any(found.values()):
        found |= _flag_changes(path.nodes[: place + 1], row.covered_hash)
    return CoverageChange({cause: node_ids for cause, node_ids in found.items() if node_ids})


def covered_ids(tree: Tree, row: ContextSummary) -> tuple[str, ...] | None:
    """The nodes from the first to the anchor as they were when a summary was made; None if that is not
    known.
    """
    stretches: list[Sequence[str]] = []
    seen: set[str] = set()
    current: ContextSummary | None = row
    while current is not None and current.key not in seen:
        seen.add(current.key)
        own = current.body.get("coveredIds")
        if not isinstance(own, list) or not all(isinstance(one, str) for one in own):
            return None
        stretches.append(own)
        key = based_on(current)
        if key is None:
            return tuple(node_id for stretch in reversed(stretches) for node_id in stretch)
        current = tree.context_summaries.get(key)
    return None


def based_on(row: ContextSummary) -> str | None:
    """The key of the summary that one is based on; None if it was made of all it covers."""
    value = row.body.get("basedOn")
    if not isinstance(value, Mapping):
        return None
    anchor, covered = value.get("anchorNodeId"), value.get("coveredHash")
    return f"{anchor}\0{covered}"


ONE_FLAG: tuple[tuple[Literal["pruned", "excluded"], Cause, Cause], ...] = (
    ("pruned", "pruned", "restored"),
    ("excluded", "excluded", "included"),
)
MOST_TRIED = 300  # nodes for which it is tried whether their flags alone make the difference


def _flag_changes(nodes: tuple[Node, ...], wanted: str) -> dict[Cause, tuple[str, ...]]:
    """Find the one flag that is another since the hash was taken, if one alone explains it."""
    if len(nodes) <= MOST_TRIED:
        entries = _entries(nodes)
        for place, node in enumerate(nodes):
            holding = flags_of(node.metadata)
            for name, gained, lost in ONE_FLAG:
                before = tuple(flag for flag, _, _ in ONE_FLAG if (flag in holding) != (flag == name))
                tried = entries.copy()
                tried[place] = _entry_of(node.id, before)
                listed = "[" + ",".join(tried) + "]"
                if sha256(listed.encode("utf-8", "surrogatepass")).hexdigest() == wanted:
                    return {gained if name in holding else lost: (node.id,)}
    return {"flags": (nodes[-1].id,)}


def _entry_of(node_id: str, flags: tuple[str, ...]) -> str:
    if not flags:
        return encode_basestring(node_id)
    return "[" + ",".join(map(encode_basestring, (node_id, *flags))) + "]"


MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class CoveredUnits:
    """The beginning of a path that a summary covers: its nodes beyond the summary that it is based on, and
    all its units with their tokens by the estimator `chat-4`.
    """

    node_ids: tuple[str, ...]
    units: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SummaryReading:
    """A context summary as it is read, with everything that its row leaves out."""

    anchor_node_id: str
    covered_hash: str
    text: str
    covered_ids: tuple[str, ...]
    based_on: SummaryKey | None
    messages_summarized: int
    original_tokens: int
    summary_tokens: int
    origin: str
    model: str | None
    created_at: str | None

    @property
    def saved_tokens(self) -> int:
        """Tokens that each call with it in use saves."""
        return self.original_tokens - self.summary_tokens


def read_summary(row: ContextSummary, covered: CoveredUnits) -> SummaryReading:
    """Read a row; `covered` is what it covers on a path, for what the row leaves out."""
    body, text = row.body, text_of(row)
    ids = body.get("coveredIds")
    is_listed = isinstance(ids, list) and all(isinstance(one, str) for one in ids)
    return SummaryReading(
        row.anchor_node_id,
        row.covered_hash,
        text,
        tuple(map(str, ids)) if is_listed and isinstance(ids, list) else covered.node_ids,
        _based_on(body.get("basedOn")),
        count_at(body, "messagesSummarized", covered.units),
        count_at(body, "originalTokens", covered.tokens),
        count_at(body, "summaryTokens", as_one_message(text)),
        text_at(body, "origin") or MANUAL,
        text_at(body, "model"),
        text_at(body, "createdAt"),
    )


@dataclass(frozen=True, slots=True)
class Earned:
    """Earnings of a summary: the calls it was used in, the tokens these saved, and what making it cost."""

    calls: int
    saved: int
    cost: int

    @property
    def net(self) -> int:
        return self.saved - self.cost


def earned_by(reading: SummaryReading, calls: Iterable[Call], cost: int = 0) -> Earned:
    """Add up what the calls with a summary in use saved, each call once."""
    key = SummaryKey(reading.anchor_node_id, reading.covered_hash)
    used = {call.exchange for call in calls if call.sent.summary == key}
    return Earned(len(used), len(used) * reading.saved_tokens, cost)


def _based_on(value: object) -> SummaryKey | None:
    match value:
        case {"anchorNodeId": str(anchor), "coveredHash": str(covered)}:
            return SummaryKey(anchor, covered)
    return None
