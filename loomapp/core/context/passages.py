"""Passages: everything that could be sent, in order, as columns of parts grouped into units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal, TypeAlias, cast

from loomapp.core.context.messages import ImagePart, MessageRole
from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import Text, Withheld
from loomapp.core.model.entities import ROLES, Mode, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import common_end, common_length
from loomapp.core.text.token_counts import BY_CHARACTERS, TokenEstimator, estimate

MOST_KEPT = 2  # paths


@dataclass(frozen=True, slots=True)
class TextColumns:
    """Of each node, in order: its role, its text, and what that costs. The text is empty, and the node among
    the `others`, ascending, if it is flagged, blank, or more than a text.
    """

    mode: Mode
    nodes: tuple[Node, ...]
    roles: list[MessageRole]
    texts: list[str]
    tokens: list[int]
    others: list[int]


@dataclass(slots=True)
class KnownColumns:
    """The columns that were read last of a tree's paths, the newest first. A tree and its sketches share
    them: they hold wherever the nodes are the same ones.
    """

    kept: list[TextColumns] = field(default_factory=list)

    def for_sketch(self) -> KnownColumns:
        return self


def columns_of(tree: Tree, nodes: tuple[Node, ...]) -> TextColumns:
    """The columns of a path's nodes; they may go on after the last of these.

    Of a path that begins and ends as one that was read before, only what stands between is read.
    """
    mode = tree.loom.mode
    cache = tree.caches.of(KnownColumns)
    known, same = TextColumns(mode, (), [], [], [], []), 0
    for one in cache.kept:
        if one.mode == mode and (length := common_length(one.nodes, nodes)) > same:
            known, same = one, length
    if same < len(nodes) or not same:
        rest = common_end(known.nodes, nodes, min(len(known.nodes), len(nodes)) - same)
        end, after = len(nodes) - rest, len(known.nodes) - rest
        read = _read(nodes[same:end], mode)
        known = TextColumns(
            mode,
            nodes,
            known.roles[:same] + read.roles + known.roles[after:],
            known.texts[:same] + read.texts + known.texts[after:],
            known.tokens[:same] + read.tokens + known.tokens[after:],
            [
                *(place for place in known.others if place < same),
                *(same + place for place in read.others),
                *(place - after + end for place in known.others if place >= after),
            ],
        )
        cache.kept[:] = [known, *cache.kept][:MOST_KEPT]
    return known


def _read(nodes: Sequence[Node], mode: Mode) -> TextColumns:
    texts = [
        content.text
        if type(content := node.content) is Text
        and not ((metadata := node.metadata).pruned or metadata.excluded)
        else ""
        for node in nodes
    ]
    if mode == "dialogue":
        texts = list(map(str.strip, texts))
    return TextColumns(
        mode,
        tuple(nodes),
        [node.role or ROLES[node.author_type] for node in nodes],
        texts,
        [(len(text) + 3) // 4 for text in texts],  # `estimate`, without the calls
        [] if all(texts) else [place for place, text in enumerate(texts) if not text],
    )


# What a part is when it comes from no committed node.
Kind: TypeAlias = Literal["workingBuffer", "composer"]
# Why an image goes as its text: the model takes none; only words go out where it stands, in a document or in
# what a model said; or this one cannot be sent.
Described: TypeAlias = Literal["model", "words"] | Withheld

FEW_JOINED = 64  # of a long path so many parts are sooner taken out of a list than the list is made anew


@dataclass(slots=True)
class ContextPassages:
    """Parts in sending order, a list a property: on long paths an object a part costs more than all the work.

    Part i is said by `node_ids[i]` (None: see `kinds`) in `roles[i]`. `joined` are the parts, ascending, that
    belong to the same unit as the part before. `images` are the few parts whose text stands for an image,
    `described` the images that go as this text, with the reason. `headers` stand above the parts of a
    loom-aware agent's context; `before_newest`, a user's item before the newest unit, and what comes `after`
    all units are never cut.
    """

    node_ids: list[str | None] = field(default_factory=list)
    roles: list[MessageRole] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    joined: list[int] = field(default_factory=list)
    images: dict[int, ImagePart] = field(default_factory=dict)
    described: dict[int, Described] = field(default_factory=dict)
    kinds: dict[int, Kind] = field(default_factory=dict)
    unit_begins: bool = True  # with the next part
    headers: dict[int, str] = field(default_factory=dict)
    before_newest: str = ""
    after: list[tuple[MessageRole, str]] = field(default_factory=list)
    estimator: TokenEstimator = BY_CHARACTERS  # of `tokens`, once all parts are there: see `count`

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def units(self) -> int:
        return len(self.texts) - len(self.joined)

    def begin_unit(self) -> None:
        """The next part begins a unit, and those after it belong to it."""
        self.unit_begins = True

    def add(
        self,
        node_id: str | None,
        role: MessageRole,
        text: str,
        *,
        image: ImagePart | None = None,
        described: Described | None = None,
    ) -> None:
        """Add a part to the unit that was begun last."""
        index = len(self.texts)
        if not self.unit_begins:
            self.joined.append(index)
        if image is not None:
            self.images[index] = image
        if described is not None:
            self.described[index] = described
        self.unit_begins = False
        self.node_ids.append(node_id)
        self.roles.append(role)
        self.texts.append(text)
        self.tokens.append(estimate(text))

    def add_uncommitted(self, text: str, kind: Kind) -> None:
        """Add the user's text that is no node yet to the unit that was begun last."""
        self.kinds[len(self.texts)] = kind
        self.add(None, "user", text)

    def count(self) -> None:
        """Count the tokens of all parts by the estimator; until then they are a quarter of the characters."""
        if self.estimator is not BY_CHARACTERS:
            self.tokens = self.estimator.of_parts(self)
            for index in self.headers:
                self.tokens[index] = self.cost(index, self.texts[index])

    def add_units(self, node_ids: Sequence[str], columns: TextColumns, stretch: slice) -> None:
        """Add a stretch of a path's nodes, each a unit of one part; the columns are those of the path."""
        if stretch.start >= stretch.stop:
            return
        ids, roles = node_ids[stretch], columns.roles[stretch]
        texts, tokens = columns.texts[stretch], columns.tokens[stretch]
        if self.texts:
            self.node_ids += ids
            self.roles += roles
            self.texts += texts
            self.tokens += tokens
        else:  # most paths are one stretch: they are copied once
            self.node_ids, self.roles, self.texts, self.tokens = list(ids), roles, texts, tokens
        self.unit_begins = False

    def put_header(self, index: int, header: str) -> None:
        """Put lines above a part, and count them with it."""
        self.headers[index] = header
        self.tokens[index] = self.cost(index, self.texts[index])

    def cost(self, index: int, text: str) -> int:
        """Tokens of a part with such a text."""
        header = self.headers.get(index)
        if self.estimator is not BY_CHARACTERS:
            return self.estimator.of(text) + self.estimator.of(header or "")
        if header is None:
            return estimate(text)
        if index in self.images:  # it goes as a part of its own
            return estimate(header) + estimate(text)
        return (len(header) + len(text) + 4) // 4  # with the line break between them

    @property
    def fixed_tokens(self) -> int:
        """Tokens of what is sent beside the units, whatever becomes of them."""
        count = self.estimator.of
        return count(self.before_newest) + sum(count(text) for _, text in self.after)

    @property
    def newest(self) -> int:
        """The index of the first part of the newest unit."""
        place = len(self.texts) - 1
        for joined in reversed(self.joined):
            if joined != place:
                break
            place -= 1
        return place

    def unit_starts(self) -> Sequence[int]:
        """The index of each unit's first part."""
        everything = range(len(self.texts))
        if not self.joined:
            return everything
        if len(self.joined) > FEW_JOINED:
            joined = set(self.joined)
            return [index for index in everything if index not in joined]
        starts = list(everything)
        for index in reversed(self.joined):
            del starts[index]
        return starts

    def unit_costs(self) -> Sequence[int]:
        if not self.joined:
            return self.tokens
        if len(self.joined) > FEW_JOINED:
            starts = self.unit_starts()
            ends = [*starts[1:], len(self.tokens)]
            return [sum(self.tokens[begin:end]) for begin, end in zip(starts, ends, strict=True)]
        costs = self.tokens.copy()
        for index in reversed(self.joined):
            costs[index - 1] += costs.pop(index)
        return costs

    def tokens_by_node(self, indexes: range) -> dict[str, int]:
        """Return the costs of the parts at `indexes`, by node, in order."""
        node_ids = self.node_ids[indexes.start : indexes.stop]
        tokens = self.tokens[indexes.start : indexes.stop]
        costs = dict(zip(node_ids, tokens, strict=True))
        if len(costs) < len(node_ids):
            costs = dict.fromkeys(node_ids, 0)
            for node_id, cost in zip(node_ids, tokens, strict=True):
                costs[node_id] += cost
        costs.pop(None, None)
        return cast("dict[str, int]", costs)
