"""System context: the agent's prompt, the tree's, and instructions, joined and never truncated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.context.parts import directive, render, tokens
from loomapp.core.context.units import Gathered, reason_to_drop
from loomapp.core.tokens import estimate
from loomapp.core.tree import Tree

SystemKind: TypeAlias = Literal["agent", "tree", "instruction"]


@dataclass(frozen=True, slots=True)
class SystemPart:
    """One contribution to the system context; instructions come from a node."""

    kind: SystemKind
    text: str
    node_id: str | None = None


@dataclass(frozen=True, slots=True)
class SystemContext:
    """The parts in order; sent joined by blank lines."""

    parts: tuple[SystemPart, ...] = ()

    @property
    def text(self) -> str | None:
        """What is sent, or None if there is nothing."""
        return "\n\n".join(part.text for part in self.parts) if self.parts else None

    @property
    def tokens(self) -> int:
        """The estimate of the whole."""
        return estimate(self.text or "")


def collect(
    tree: Tree, system_prompt: str | None, instruction_ids: Iterable[str], gathered: Gathered
) -> SystemContext:
    """The system context of a request; instructions that are left out are noted in `gathered`.

    `instruction_ids` in the order they stand in, each once.
    """
    sends = tree.loom.mode == "dialogue" or tree.loom.buffer_mode_system_context
    instructions: list[SystemPart] = []
    for node_id in instruction_ids:
        node = tree.nodes[node_id]
        text = directive(node, tree.loom.mode)
        reason = reason_to_drop(node, render(node, tree.loom.mode) if text else ())
        if reason is None and not sends:
            reason = "instruction_without_system"
        if reason is None:
            instructions.append(SystemPart("instruction", text, node_id))
        else:
            cost = 0 if reason == "empty" else tokens(render(node, tree.loom.mode))
            gathered.drop(node, reason, cost)
    if not sends:
        return SystemContext()
    prompt, context = (system_prompt or "").strip(), (tree.loom.system_context or "").strip()
    parts = (SystemPart("agent", prompt), SystemPart("tree", context), *instructions)
    return SystemContext(tuple(part for part in parts if part.text))
