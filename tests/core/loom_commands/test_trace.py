"""Traces: what was decided since is told of the entries that waited, and of nothing else."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.loom_commands.trace import WAITS, TraceEntry, decided_node, done, entries_of
from loomapp.core.model.content import Text
from loomapp.core.model.entities import DECIDED, TRACE, Metadata, Node


def test_only_what_waited_was_decided_and_its_line_stays() -> None:
    kept = [done("→ view A", "Hello", None, (), 1), done("→ prune A", WAITS, None, (), 2)]
    node = Node("n", "N", Text("Hi"), "model", "a", 3, "hash", extra={TRACE: kept})
    forged = {"0": {"result": "Bye"}, "1": {"line": "→ view B", "result": "a person refused it"}}

    decided = decided_node(node, "→ prune A", "pruned", None)
    assert decided is not None
    odd = replace(node, metadata=Metadata(extra={DECIDED: forged}))

    first = TraceEntry("→ view A", True, None, "Hello")
    assert entries_of(decided) == (first, TraceEntry("→ prune A", True, None, "pruned"))
    assert entries_of(odd) == (first, TraceEntry("→ prune A", True, None, "a person refused it"))
