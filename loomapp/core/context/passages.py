"""Passages: everything that could be sent, in order, as columns of parts grouped into units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from loomapp.core.context.columns import TextColumns
from loomapp.core.context.messages import ImagePart, MessageRole
from loomapp.core.media import Withheld
from loomapp.core.text.token_estimates import estimate

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
    `described` the images that go as this text, with the reason.
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
        """Tokens of each unit."""
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
