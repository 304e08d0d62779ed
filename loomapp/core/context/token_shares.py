"""Token shares of a context: whose its tokens are, before and after each stage that makes it smaller."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.compression import sent_blocks
from loomapp.core.context.economy import ContextEconomy
from loomapp.core.context.passages import ContextPassages
from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import (
    AttachedDocument,
    Audio,
    Block,
    Image,
    Mixed,
    ToolResult,
    ToolUse,
    blocks_of,
)
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree

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


SUMMARISED = ("summary", "threads")  # parts of the system context that are summaries


def token_stages(assembled: Assembled, nodes: Mapping[str, Node]) -> list[TokenShares]:
    """Tell where the tokens of a context go: of all of its path, after each stage that is on, and as it is
    sent. A stage that changes nothing is told all the same. `nodes` are those of the tree that the context is
    of: see `nodes_of`.
    """
    return [shares_of(parts, nodes) for parts in _stages(assembled, nodes)]


def nodes_of(assembled: Assembled, tree: Tree) -> dict[str, Node]:
    """Return the nodes of the tree that a context is of, as they are now: another thread may have them. Those
    on the screen are among them, by which a context is named whose words are not saved yet.
    """
    return {**tree.nodes, **({} if assembled.economy is None else assembled.economy.tree.nodes)}


def _stages(assembled: Assembled, nodes: Mapping[str, Node]) -> Iterator[StageParts]:
    economy = assembled.economy
    if economy is not None:
        every = economy.every_part
        beside = economy.passages_fixed + (0 if assembled.suffix is None else assembled.suffix.all_tokens)
        system = assembled.report.before_tokens - sum(every.tokens) - beside
        yield _parts("path", every, nodes, {"system": system, "beside": beside})
        if "summaries" in [stage for stage, _ in assembled.report.economy.stages]:
            yield _parts("summaries", economy.summarised.passages, nodes, _beside(economy))
        if economy.compressed is not None:
            yield _parts("compression", economy.compressed.passages, nodes, _beside(economy))
    yield _sent(assembled, nodes)


def _beside(economy: ContextEconomy) -> dict[TokenKind, int]:
    """The tokens that go beside the messages: system context, summaries in it, and what is never cut."""
    system = economy.system
    others = tuple(part for part in system.parts if part.kind not in SUMMARISED)
    own = replace(system, parts=others).tokens
    return {"system": own, "summary": system.tokens - own, "beside": economy.passages_fixed}


def _sent(assembled: Assembled, nodes: Mapping[str, Node]) -> StageParts:
    """The parts that are sent once a strategy has left out what there is no room for; beside them the line
    for what is left out, what follows the answer, and what a tokenizer counts between the parts.
    """
    fitted = assembled.fitted
    passages, kept = fitted.passages, [*fitted.head, *fitted.tail]
    kinds, tokens = part_kinds(passages, nodes), [passages.tokens[part] for part in kept]
    if fitted.front is not None:
        tokens[len(fitted.head)] = fitted.front_tokens
    beside: dict[TokenKind, int] = {"system": assembled.report.system_tokens}
    if assembled.economy is not None:
        beside = _beside(assembled.economy)
    rest = assembled.report.after_tokens - sum(tokens) - sum(beside.values())
    beside["beside"] = beside.get("beside", 0) + max(0, rest)
    return StageParts("sent", [passages.node_ids[i] for i in kept], [kinds[i] for i in kept], tokens, beside)


def _parts(
    stage: Stage, passages: ContextPassages, nodes: Mapping[str, Node], beside: dict[TokenKind, int]
) -> StageParts:
    return StageParts(stage, passages.node_ids, part_kinds(passages, nodes), passages.tokens, beside)


def part_kinds(passages: ContextPassages, nodes: Mapping[str, Node]) -> list[TokenKind]:
    """Return the kind of each part: that of its block where its node has several."""
    kinds: list[TokenKind] = []
    last, number = "", 0
    for node_id in passages.node_ids:
        number = number + 1 if node_id == last else 0
        last = node_id or ""
        kinds.append("text" if node_id is None else _kind(nodes[node_id], number))
    return kinds


def _kind(node: Node, number: int) -> TokenKind:
    """The kind of the part of a node with this number; in a document a node is one part."""
    if not isinstance(node.content, Mixed):
        return kind_of(blocks_of(node.content)[0])
    blocks = sent_blocks(node.content.blocks)
    return kind_of(blocks[number][1]) if number < len(blocks) else "text"


def kind_of(block: Block) -> TokenKind:
    match block:
        case AttachedDocument():
            return "document"
        case ToolUse() | ToolResult():
            return "tool"
        case Image() | Audio():
            return "image"
        case _:
            return "text"
