"""Exclusions: nodes that are left out before anything is merged, each with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from loomapp.core.context.messages import Rendered, tokens
from loomapp.core.model.entities import Node

Reason: TypeAlias = Literal[
    "pruned", "excluded", "annotation", "empty", "instruction_without_system", "truncated"
]

# A node can play several parts (context here, instruction there); of its reasons the first of these is told.
FILTER_REASONS: tuple[Reason, ...] = (
    "pruned",
    "excluded",
    "annotation",
    "empty",
    "instruction_without_system",
)
AT_THE_END = 1 << 60


class Dropped(NamedTuple):
    """A node that is not sent; `tokens` is what it would have cost by itself."""

    node_id: str
    reason: Reason
    tokens: int


@dataclass(slots=True)
class Drops:
    """Nodes that the filter left out, by id, each with the index of the part it would have stood before."""

    by_id: dict[str, tuple[int, Dropped]] = field(default_factory=dict)

    def add(self, node: Node, reason: Reason, parts: Sequence[Rendered], before: int = AT_THE_END) -> None:
        """Note that a node is left out; of several reasons for one node the foremost counts."""
        noted = self.by_id.get(node.id)
        if noted is None:
            self.by_id[node.id] = before, Dropped(node.id, reason, tokens(parts))
        elif FILTER_REASONS.index(reason) < FILTER_REASONS.index(noted[1].reason):
            self.by_id[node.id] = noted[0], noted[1]._replace(reason=reason)


def reason_to_drop(node: Node, parts: Sequence[Rendered], *, hidden_note: bool = False) -> Reason | None:
    """Return why the filter leaves a node out, or None. `hidden_note`: an annotation that is not
    switched on.
    """
    if node.metadata.pruned:
        return "pruned"
    if node.metadata.excluded:
        return "excluded"
    if hidden_note:
        return "annotation"
    return None if parts else "empty"
