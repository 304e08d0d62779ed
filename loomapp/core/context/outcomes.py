"""Outcome of each node in an assembled context: sent, left out, and why; told when it is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from operator import is_not
from typing import Literal, NamedTuple, TypeAlias

from loomapp.core.context.fit import FittedPassages
from loomapp.core.context.units import Placed, Reason
from loomapp.core.model.entities import Node
from loomapp.core.paths.path import Path, shared_length
from loomapp.core.text.token_counts import BY_CHARACTERS, TokenEstimator

# `refused` is said of what is shown only: nothing at all can be sent, see `ShownFates`.
Fate: TypeAlias = Literal["sent", "refused"] | Reason

# Of the nodes on a path, one byte each, so that a hundred thousand of them are searched in no time.
CODES: tuple[Fate, ...] = (
    "sent",
    "truncated",
    "pruned",
    "excluded",
    "annotation",
    "empty",
    "instruction_without_system",
    "refused",
    "summarised",
    "branch_summarised",
)
SENT, NO_ROOM = CODES.index("sent"), CODES.index("truncated")
UNKNOWN = 255
_CODE_BY_FLAGS = {  # pruned, excluded
    (False, False): SENT,
    (False, True): CODES.index("excluded"),
    (True, False): CODES.index("pruned"),
    (True, True): CODES.index("pruned"),
}
_REFUSED = bytes([CODES.index("refused")])


class Fates(Mapping[str, Fate]):
    """For every node that an assembly met: `sent`, or the reason why it is not.

    `codes` are those of the path's nodes, in order; `in_part` is the node that is sent without its beginning.
    """

    def __init__(self, path: Path, codes: bytes, others: Mapping[str, Fate], in_part: str = "") -> None:
        self.path, self.codes, self.in_part = path, codes, in_part
        self._others = others

    def __getitem__(self, node_id: str) -> Fate:
        place = self.path.place_of(node_id)
        return self._others[node_id] if place is None else CODES[self.codes[place]]

    def __iter__(self) -> Iterator[str]:
        yield from self.path.node_ids
        yield from self._others

    def __len__(self) -> int:
        return len(self.path.node_ids) + len(self._others)

    def says_the_same(self, other: Fates) -> bool:
        """True if another assembly has the same fates, node by node; compared without looking at each."""
        same_path = self.path is other.path or self.path.node_ids == other.path.node_ids
        said, says = (self.codes, self._others, self.in_part), (other.codes, other._others, other.in_part)
        return same_path and said == says

    @cached_property
    def counts(self) -> Counter[Fate]:
        found = Counter(self._others.values())
        found.update({fate: self.codes.count(code) for code, fate in enumerate(CODES)})
        return +found

    def beside(self) -> Iterable[tuple[str, Fate]]:
        return self._others.items()

    def run(self, place: int) -> tuple[int, int, int]:
        """The neighbours on the path that are not sent around one that is not: the first, the end, and how
        many of them have no room.
        """
        return _run(self.codes, place)


class ByName(NamedTuple):
    """Images of a sent node that go only by their names: how many, to which of the asked agents (""
    to all).
    """

    images: int
    whose: str = ""


class ShortenedNode(NamedTuple):
    """Sent node of which long parts are shortened: the last row that did it, and its sizes in bytes."""

    row: str
    before_bytes: int
    after_bytes: int


class PathFlags:
    """Memory of the nodes' own flags on the shown path, for the next path: it mostly has the same nodes in
    the same places, and a hundred thousand of them are not asked again for one.
    """

    def __init__(self) -> None:
        self._nodes: tuple[Node, ...] = ()
        self._codes = b""

    def of(self, nodes: tuple[Node, ...]) -> bytes:
        """A code for each node: `sent` without a flag."""
        if nodes is not self._nodes:
            is_other = bytes(map(is_not, self._nodes, nodes))
            codes = bytearray(self._codes[: len(is_other)])
            place = is_other.find(1)
            while place >= 0:
                codes[place] = _CODE_BY_FLAGS[_flags(nodes[place])]
                place = is_other.find(1, place + 1)
            codes += bytes(map(_CODE_BY_FLAGS.__getitem__, map(_flags, nodes[len(is_other) :])))
            self._nodes, self._codes = nodes, bytes(codes)
        return self._codes


class ShownFates(Mapping[str, Fate]):
    """Fates on a path that is shown: those of the coming context, and of what it does not name (it may be
    for another branch) the nodes' own flags. Where nothing can be sent, all else on the path is `refused`.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        shown: Path,
        assembled: Fates | None,
        instructed: AbstractSet[str] = frozenset(),
        by_name: Mapping[str, ByName] | None = None,
        merged_with: Callable[[str], str | None] | None = None,
        refused: AbstractSet[str] | None = None,
        flags: PathFlags | None = None,
        shortened: Mapping[str, ShortenedNode] | None = None,
        tokens_of: Callable[[str], int | None] | None = None,
        estimator: TokenEstimator = BY_CHARACTERS,
        cut_answers: Mapping[str, int] | None = None,
    ) -> None:
        """`nodes` are all of the tree, as it moves; without a context there are only flags. `instructed` are
        those whose words go along in the system context, whatever becomes of them elsewhere; `by_name` those
        with images of which only the names are sent; `merged_with` tells which message before it one is sent
        as one with. `refused`, where nothing can be sent: what would have been beside the path. `flags`
        remembers those of the path that was shown before. `shortened` are those of which long parts are.
        `tokens_of` tells what a node costs in the context, by its `estimator`. `cut_answers` ended at their
        limit, as far as is known, each at so many tokens.
        """
        self.tokens_of, self.estimator = tokens_of, estimator
        self._nodes, self._shown, self._assembled = nodes, shown, assembled
        self._instructed, self._merged_with = instructed, merged_with
        self._refused = refused
        self._flags = flags or PathFlags()
        self.by_name = by_name or {}
        self.shortened = shortened or {}
        self.cut_answers = cut_answers or {}

    def is_on_path(self, node_id: str) -> bool:
        """True for a node of the path that is sent, which may be another than the one that is shown."""
        return node_id in (self._shown if self._assembled is None else self._assembled.path)

    def __getitem__(self, node_id: str) -> Fate:
        fate = None if self._assembled is None else self._assembled.get(node_id)
        is_meant = node_id in self._shown or (self._refused is not None and node_id in self._refused)
        if fate is None and is_meant:
            fate = _flag(self._nodes.get(node_id))
            if fate is None and self._refused is not None:
                fate = "refused"
        if fate is None and node_id in self._instructed:
            fate = "sent"
        if fate is None:
            raise KeyError(node_id)
        return fate

    def __iter__(self) -> Iterator[str]:
        named = {} if self._assembled is None else self._assembled
        yield from named
        others = dict.fromkeys((*self._shown.node_ids, *self._instructed, *(self._refused or ())))
        yield from (i for i in others if i not in named and i in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def in_part(self) -> str:
        """The node of which only the end is sent; "" if there is none."""
        return "" if self._assembled is None else self._assembled.in_part

    def is_merged(self, node_id: str) -> bool:
        """True if a message is sent as one with one before it, on the path that is shown or on another."""
        return self._merged_with is not None and self._merged_with(node_id) is not None

    def run(self, keys: Sequence[str], index: int) -> tuple[int, int, int] | None:
        """Find the run of equal fates around a key, as `Fates.run` does, counted in keys that are the shown
        path or a stretch of it; None if they are another path.
        """
        place = self._shown.place_of(keys[index])
        if place is None:
            return None
        skipped = place - index
        first, end, _ = _run(self._codes, place)
        first, end = max(first, skipped), min(end, skipped + len(keys))
        ends = self._shown.node_ids[first], self._shown.node_ids[end - 1]
        if ends != (keys[first - skipped], keys[end - 1 - skipped]):
            return None
        return first - skipped, end - skipped, self._codes.count(NO_ROOM, first, end)

    @cached_property
    def _codes(self) -> bytes:
        """Return the codes of the nodes of the shown path."""
        known = self._assembled
        same = 0 if known is None else shared_length(known.path, self._shown)
        codes = bytearray(b"" if known is None else known.codes[:same])
        if same < len(self._shown.nodes):
            flags = self._flags.of(self._shown.nodes)[same:]
            codes += flags if self._refused is None else flags.replace(bytes([SENT]), _REFUSED)
        for node_id, fate in () if known is None else known.beside():
            place = self._shown.place_of(node_id)
            if place is not None and place >= same:
                codes[place] = CODES.index(fate)
        return bytes(codes)


def by_name(fates: Mapping[str, str], node_id: str) -> ByName | None:
    """Return the part of a node that goes only by its name; None if that is not known."""
    return fates.by_name.get(node_id) if isinstance(fates, ShownFates) else None


def shortened(fates: Mapping[str, str], node_id: str) -> ShortenedNode | None:
    """Return how a node is shortened in the coming context; None if it is not."""
    return fates.shortened.get(node_id) if isinstance(fates, ShownFates) else None


def cut_answer(fates: Mapping[str, str], node_id: str) -> int | None:
    """Return the tokens at which an answer was cut by its limit, 0 if they are not known; None if it is not
    known to be cut.
    """
    return fates.cut_answers.get(node_id) if isinstance(fates, ShownFates) else None


def tokens_in(fates: Mapping[str, str], node_id: str) -> int | None:
    """Return the tokens of a node as the coming context counts them; None if it is not there."""
    if not isinstance(fates, ShownFates) or fates.tokens_of is None:
        return None
    return fates.tokens_of(node_id)


def estimator_of(fates: Mapping[str, str]) -> TokenEstimator:
    return fates.estimator if isinstance(fates, ShownFates) else BY_CHARACTERS


def is_merged(fates: Mapping[str, str], node_id: str) -> bool:
    """True if a message is known to be sent as one with one before it."""
    return isinstance(fates, ShownFates) and fates.is_merged(node_id)


def is_in_part(fates: Mapping[str, str], node_id: str) -> bool:
    """True if only the end of a node is known to be sent."""
    return isinstance(fates, ShownFates) and fates.in_part == node_id


def _flag(node: Node | None) -> Fate | None:
    if node is None or not (node.metadata.pruned or node.metadata.excluded):
        return None
    return "pruned" if node.metadata.pruned else "excluded"


def _flags(node: Node) -> tuple[bool, bool]:
    return node.metadata.pruned, node.metadata.excluded


def _run(codes: bytes, place: int) -> tuple[int, int, int]:
    first, end = codes.rfind(SENT, 0, place) + 1, codes.find(SENT, place)
    end = len(codes) if end < 0 else end
    return first, end, codes.count(NO_ROOM, first, end)


def fates_of(placed: Placed, fitted: FittedPassages) -> Fates:
    """The fates of all nodes that were placed or dropped. What is sent in part is sent; what is left out for
    space and for another reason too has no room.
    """
    path, parts, covered = placed.path, _of_parts(fitted), placed.covered
    codes = bytearray([UNKNOWN]) * len(path.node_ids)
    for stretch in placed.stretches:
        codes[stretch.begin : stretch.end] = parts[stretch.part : stretch.part + stretch.end - stretch.begin]
    others: dict[str, Fate] = {node_id: noted[1].reason for node_id, noted in placed.drops.by_id.items()}
    others |= {node_id: CODES[min(parts[i] for i in indexes)] for node_id, indexes in placed.parts.items()}
    if covered is not None:
        others = {**dict.fromkeys(covered.beside, covered.reason), **others}
    for node_id in list(others):
        place = path.place_of(node_id)
        if place is not None:
            fate = others.pop(node_id)
            if codes[place] == UNKNOWN:
                codes[place] = CODES.index(fate)
    if covered is not None:  # what the filter had left out before is told so
        code = bytes([CODES.index(covered.reason)])
        codes[: covered.places] = codes[: covered.places].replace(bytes([UNKNOWN]), code)
    return Fates(path, bytes(codes), others, node_in_part(fitted))


def node_in_part(fitted: FittedPassages) -> str:
    """The node of which only the end is sent; "" if there is none, or it is text that is no node yet."""
    beginning = fitted.beginning
    return "" if beginning is None else beginning.node_id or ""


def _of_parts(fitted: FittedPassages) -> bytes:
    """The code of each part: what is in the gap has no room."""
    gap = fitted.gap
    return bytes([SENT]) * gap.start + bytes([NO_ROOM]) * len(gap) + bytes([SENT]) * len(fitted.tail)
