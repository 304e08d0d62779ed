"""System context: the agent's prompt, the tree's, and instructions, joined and never truncated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, TypeAlias

from loomapp.core.context.messages import directive, render
from loomapp.core.context.units import Drops, reason_to_drop
from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.text.token_counts import BY_CHARACTERS, TokenEstimator, estimate

SystemKind: TypeAlias = Literal["agent", "tree", "instruction", "threads", "summary", "loom"]


@dataclass(frozen=True, slots=True)
class SystemPart:
    """One contribution to the system context; instructions come from a node."""

    kind: SystemKind
    text: str
    node_id: str | None = None

    @property
    def tokens(self) -> int:
        return estimate(self.text)


@dataclass(frozen=True, slots=True)
class SystemContext:
    """The parts in order; sent joined by blank lines."""

    parts: tuple[SystemPart, ...] = ()
    estimator: TokenEstimator = BY_CHARACTERS

    @property
    def text(self) -> str | None:
        return "\n\n".join(part.text for part in self.parts) if self.parts else None

    @property
    def tokens(self) -> int:
        return self.estimator.of_system(self.text)

    def with_chain(self, text: str) -> SystemContext:
        """Return this system context with a chain of branch summaries in place of the tree's own part."""
        before = tuple(part for part in self.parts if part.kind == "agent")
        after = tuple(part for part in self.parts if part.kind in ("instruction", "loom"))
        parts = (*before, *((SystemPart("threads", text),) if text else ()), *after)
        return replace(self, parts=parts)

    def with_addendum(self, text: str) -> SystemContext:
        """Return this system context with the part that a loom-aware agent gets after all others."""
        return replace(self, parts=(*self.parts, SystemPart("loom", text)))


def sends_system(loom: LoomTree) -> bool:
    """True if a system context goes along with requests of a tree, and so do its instructions."""
    return loom.mode == "dialogue" or loom.buffer_mode_system_context


def collect(
    tree: Tree, system_prompt: str | None, instruction_ids: Iterable[str], drops: Drops
) -> SystemContext:
    """The system context of a request; instructions that are left out are added to `drops`.

    `instruction_ids` in the order in which they stand, each once.
    """
    mode = tree.loom.mode
    sends = sends_system(tree.loom)
    instructions: list[SystemPart] = []
    for node_id in instruction_ids:
        node = tree.nodes[node_id]
        text, parts = directive(node, mode), render(node, mode)
        reason = reason_to_drop(node, parts if text else ())
        if reason is None and not sends:
            reason = "instruction_without_system"
        if reason is None:
            instructions.append(SystemPart("instruction", text, node_id))
        else:
            drops.add(node, reason, () if reason == "empty" else parts)
    if not sends:
        return SystemContext(estimator=drops.estimator)
    prompt, context = (system_prompt or "").strip(), (tree.loom.system_context or "").strip()
    own = (SystemPart("agent", prompt), SystemPart("tree", context))
    return SystemContext((*(part for part in own if part.text), *instructions), drops.estimator)
