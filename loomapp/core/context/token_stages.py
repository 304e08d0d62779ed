"""Token stages of a context: where its tokens go, before and after each stage that makes it smaller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.compression import sent_blocks
from loomapp.core.context.economy import ContextEconomy
from loomapp.core.context.passages import ContextPassages
from loomapp.core.economy.token_shares import Stage, StageParts, TokenKind, TokenShares, shares_of
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

SUMMARISED = ("summary", "threads")  # parts of the system context that are summaries


def token_stages(assembled: Assembled, nodes: Mapping[str, Node]) -> list[TokenShares]:
    """Tell where the tokens of a context go: of all of its path, after each stage that is on, and as it is
    sent. A stage that changes nothing is told all the same. `nodes` are those of the tree that the context is
    of: see `nodes_of`.
    """
    return [shares_of(parts, nodes) for parts in _stages(assembled, nodes)]


def nodes_of(assembled: Assembled, tree: Tree) -> dict[str, Node]:
    """Return the nodes of the tree that a context is of, as they are now: another thread may have them."""
    return dict(tree.nodes if assembled.economy is None else assembled.economy.tree.nodes)


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
    """The kind of a block's tokens."""
    match block:
        case AttachedDocument():
            return "document"
        case ToolUse() | ToolResult():
            return "tool"
        case Image() | Audio():
            return "image"
        case _:
            return "text"
