"""Token shares of a context: whose its tokens are, of which kind, and of which message, stage by stage."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from loomapp.core.model.entities import Node

Stage: TypeAlias = Literal["path", "summaries", "compression", "sent"]
TokenKind: TypeAlias = Literal["system", "summary", "text", "document", "tool", "image", "beside"]
NOBODY = ""  # authors of the system context, of summaries, and of what is sent beside the messages


@dataclass(frozen=True, slots=True)
class StageParts:
    """Parts of a context after a stage, in columns: said by which node, None for the person's words that are
    no node yet, of which kind, at which cost; and what is sent `beside` them, by its kind.
    """

    stage: Stage
    node_ids: Sequence[str | None]
    kinds: Sequence[TokenKind]
    tokens: Sequence[int]
    beside: Mapping[TokenKind, int]


@dataclass(frozen=True, slots=True)
class TokenShares:
    """Tokens after a stage, added up three ways, each in the order in which they are first sent.

    Authors are ids of agents, "human" or "model" where a node names none. Messages are ids of nodes, "" what
    comes from no node.
    """

    stage: Stage
    total: int
    by_author: Mapping[str, int]
    by_kind: Mapping[TokenKind, int]
    by_message: Mapping[str, int]


def shares_of(parts: StageParts, nodes: Mapping[str, Node]) -> TokenShares:
    """Add up the tokens of a stage."""
    by_author, by_message = dict[str, int](), dict[str, int]()
    by_kind = {kind: tokens for kind, tokens in parts.beside.items() if tokens}
    aside = sum(by_kind.values())
    if aside:
        by_author[NOBODY] = by_message[""] = aside
    for node_id, kind, tokens in zip(parts.node_ids, parts.kinds, parts.tokens, strict=True):
        author = "human" if node_id is None else author_of(nodes[node_id])
        by_author[author] = by_author.get(author, 0) + tokens
        by_kind[kind] = by_kind.get(kind, 0) + tokens
        by_message[node_id or ""] = by_message.get(node_id or "", 0) + tokens
    return TokenShares(parts.stage, aside + sum(parts.tokens), by_author, by_kind, by_message)


def author_of(node: Node) -> str:
    """The name under which the tokens of a node are added up."""
    return node.author_agent_id or node.author_type


def largest(shares: Mapping[str, int], count: int) -> tuple[list[tuple[str, int]], int]:
    """Return the largest of some shares, the largest first, and the sum of all others."""
    ordered = sorted(shares.items(), key=lambda share: -share[1])
    return ordered[:count], sum(tokens for _, tokens in ordered[count:])


OTHERS = "\0others"  # in the place of messages that are not named


def with_largest_messages(stages: Sequence[TokenShares], count: int) -> list[TokenShares]:
    """Return the stages with the largest messages of the first and of the last one, and all others as one."""
    kept = {key for stage in (stages[0], stages[-1]) for key, _ in largest(stage.by_message, count)[0]}
    return [replace(stage, by_message=_gathered(stage.by_message, kept)) for stage in stages]


def _gathered(shares: Mapping[str, int], kept: Container[str]) -> Mapping[str, int]:
    found = {key: tokens for key, tokens in shares.items() if key in kept}
    others = sum(tokens for key, tokens in shares.items() if key not in kept)
    return {**found, OTHERS: others} if others else found


def percentages(values: Iterable[int]) -> list[int]:
    """Return shares in whole percent that add up to 100, the largest rests rounded up; of nothing zeros."""
    numbers = list(values)
    whole = sum(numbers)
    if not whole:
        return [0] * len(numbers)
    found = [100 * number // whole for number in numbers]
    rests = sorted(range(len(numbers)), key=lambda i: -(100 * numbers[i] % whole))
    for index in rests[: 100 - sum(found)]:
        found[index] += 1
    return found
