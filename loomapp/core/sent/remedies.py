"""Remedies: what would help where a context cannot be assembled or a node has no room, each one tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.errors import AssemblyError
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import Inputs, assembled_from
from loomapp.core.sent.trial import with_nodes, without

Kind: TypeAlias = Literal["include", "strategy", "room", "answer", "exclude", "withoutSystem"]
LEAST_ROOM = 128  # tokens: an answer of less is no answer
FEW = 3  # of the largest nodes are tried


@dataclass(frozen=True, slots=True)
class Remedy:
    """Other inputs that can be sent, and what they cost.

    `value` is the name of a strategy, the tokens of the room for the answer or of the longest answer, or how
    many nodes are taken in. `node_id` is the node that is left out for it.
    """

    kind: Kind
    inputs: Inputs
    tokens: int
    value: int | str = ""
    node_id: str | None = None


def remedies_for(tree: Tree, today: Inputs, error: AssemblyError) -> tuple[Remedy, ...]:
    """Return the remedies for an error of assembly, the likeliest first. Only what can then be sent."""
    return tuple(_working(tree, _candidates(today, error)))


def room_for(tree: Tree, today: Inputs, assembled: Assembled, node_id: str) -> tuple[Remedy, ...]:
    """Return the remedies that make room for a node that has none, the smallest change first; that node is
    then sent.
    """
    found = []
    for remedy, outcome in _tried(tree, _roomier(today, assembled, node_id)):
        if outcome.fates.get(node_id) == "sent" and not outcome.report.over_limit:
            found.append(remedy)
    return tuple(found)


def _candidates(today: Inputs, error: AssemblyError) -> Iterator[Remedy]:
    window = today.model.context_window
    match error.code:
        case "EMPTY_CONTEXT":
            yield Remedy("include", with_nodes(today, today.excluded), 0, len(today.excluded))
        case "INVALID_BUDGET":
            yield from _smaller_answers(today, max(LEAST_ROOM, window // 4))
        case "SYSTEM_TOO_LARGE":
            needed = error.details.get("needed")
            if isinstance(needed, int):
                yield from _smaller_answers(today, (window - needed) // 2)
            if today.buffer_system_context:
                yield Remedy("withoutSystem", replace(today, buffer_system_context=False), 0)
        case "CONTEXT_TOO_LONG":
            yield from _other_strategies(today)
            over = error.details.get("over_by")
            if isinstance(over, int):
                yield from _smaller_answers(today, _reserved(today) - over)
        case _:
            return


def _roomier(today: Inputs, assembled: Assembled, node_id: str) -> Iterator[Remedy]:
    report = assembled.report
    yield from _smaller_answers(today, _reserved(today) - (report.before_tokens - report.available))
    yield from _other_strategies(today)
    passages = assembled.fitted.passages
    costs = passages.tokens_by_node(range(len(passages)))
    others = [one for one in costs if one not in (node_id, today.at)]
    for largest in sorted(others, key=lambda one: -costs[one])[:FEW]:
        yield Remedy("exclude", without(today, [largest]), 0, node_id=largest)


def _reserved(today: Inputs) -> int:
    return max(today.token_buffer, today.max_tokens or 0)


def _smaller_answers(today: Inputs, tokens: int) -> Iterator[Remedy]:
    """Less kept for the answer: of the tree's room, and of the agent's longest answer where that is more."""
    if not LEAST_ROOM <= tokens < _reserved(today):
        return
    wanted = replace(today, token_buffer=min(today.token_buffer, tokens))
    if today.max_tokens is not None and today.max_tokens > tokens:
        yield Remedy("answer", replace(wanted, max_tokens=tokens), 0, tokens)
    else:
        yield Remedy("room", wanted, 0, tokens)


def _other_strategies(today: Inputs) -> Iterator[Remedy]:
    for name in STRATEGIES:
        if name != today.truncation_strategy:
            yield Remedy("strategy", replace(today, truncation_strategy=name), 0, name)


def _working(tree: Tree, candidates: Iterable[Remedy]) -> Iterator[Remedy]:
    for remedy, outcome in _tried(tree, candidates):
        # What is taken in again may be too much, and that has remedies of its own.
        if remedy.kind == "include" or not outcome.report.over_limit:
            yield remedy


def _tried(tree: Tree, candidates: Iterable[Remedy]) -> Iterator[tuple[Remedy, Assembled]]:
    for remedy in candidates:
        try:
            outcome = assembled_from(tree, remedy.inputs)
        except AssemblyError:
            continue
        yield replace(remedy, tokens=outcome.report.after_tokens), outcome
