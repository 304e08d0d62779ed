"""Passages: everything that could be sent, in order, as columns of parts grouped into units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from loomapp.core.context.messages import ImagePart, MessageRole
from loomapp.core.tokens import estimate

# What a part is when it comes from no committed node.
Kind: TypeAlias = Literal["workingBuffer", "composer"]


@dataclass(slots=True)
class Passages:
    """Parts in sending order, a list a property: on long paths an object a part costs more than all the work.

    Part i is said by `node_ids[i]` (None: see `kinds`) in `roles[i]`. A unit is a run of parts; `starts`
    holds the index of each unit's first part. `images` holds the few parts that stand for an image.
    """

    node_ids: list[str | None] = field(default_factory=list)
    roles: list[MessageRole] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    images: dict[int, ImagePart] = field(default_factory=dict)
    kinds: dict[int, Kind] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many parts there are."""
        return len(self.texts)

    def begin_unit(self) -> None:
        """The next parts form a new unit, if any come."""
        self.starts.append(len(self.texts))

    def end_unit(self) -> None:
        """Forget the unit if no part was added to it."""
        if self.starts[-1] == len(self.texts):
            self.starts.pop()

    def add(
        self, node_id: str | None, role: MessageRole, text: str, *, image: ImagePart | None = None
    ) -> None:
        """Add a part to the unit that was begun last."""
        if image is not None:
            self.images[len(self.texts)] = image
        self.node_ids.append(node_id)
        self.roles.append(role)
        self.texts.append(text)
        self.tokens.append(estimate(text))

    def add_uncommitted(self, text: str, kind: Kind) -> None:
        """Add the user's text that is no node yet to the unit that was begun last."""
        self.kinds[len(self.texts)] = kind
        self.add(None, "user", text)

    def add_units(self, node_ids: Iterable[str], roles: Iterable[MessageRole], texts: Sequence[str]) -> None:
        """Add units of one part each."""
        first = len(self.texts)
        self.starts += range(first, first + len(texts))
        self.node_ids += node_ids
        self.roles += roles
        self.texts += texts
        self.tokens += [(len(text) + 3) // 4 for text in texts]  # `estimate`, a call saved

    def unit_costs(self) -> list[int]:
        """Tokens of each unit."""
        if len(self.starts) == len(self.tokens):
            return self.tokens
        ends = [*self.starts[1:], len(self.tokens)]
        return [sum(self.tokens[begin:end]) for begin, end in zip(self.starts, ends, strict=True)]

    def unit_start(self, unit: int) -> int:
        """The first part of a unit; for the unit after the last, the number of parts."""
        return self.starts[unit] if unit < len(self.starts) else len(self.texts)

    def tokens_by_node(self, indexes: range) -> dict[str, int]:
        """What the parts of `indexes` cost, by node, in order."""
        costs: dict[str, int] = {}
        for index in indexes:
            node_id = self.node_ids[index]
            if node_id is not None:
                costs[node_id] = costs.get(node_id, 0) + self.tokens[index]
        return costs
