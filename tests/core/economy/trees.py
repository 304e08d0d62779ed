"""Trees with summaries for tests, written down as they read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from loomapp.core.context.assembly import Assembled, assemble
from loomapp.core.context.request import ContextRequest, GivenLoad
from loomapp.core.economy.coverage import covered_hash
from loomapp.core.model.content import AttachedDocument, Block, Mixed, Text, ToolResult, ToolUse
from loomapp.core.model.economy_settings import ALL_OFF, EconomySettings
from loomapp.core.model.entities import AuthorType, BranchSummary, ContextSummary, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from tests.kit.written_trees import chain, node

HEADER = (
    "[Previous conversation summary]\nThe following is a summary of the conversation history that has been "
    "compacted to save context space:\n\n"
)


def talk(count: int, *, system: str | None = None) -> Tree:
    """Messages n1, n2, … of a letter each, human first."""
    authors: tuple[AuthorType, AuthorType] = ("human", "model")
    return chain(
        *(node(f"n{i + 1}", "abcdefghijklmnop"[i], authors[i % 2]) for i in range(count)), system=system
    )


def with_heads(tree: Tree, **texts: str | None) -> Tree:
    """The tree with heads at these nodes, each titled as its node in capitals."""
    for name, text in texts.items():
        tree.branch_summaries[name] = BranchSummary(name, {"title": name.upper(), "text": text})
    return tree


def with_summary(tree: Tree, anchor: str, text: str = "S", **body: object) -> ContextSummary:
    """Put a valid summary at a node, and return it."""
    path = resolve(tree, anchor)
    row = ContextSummary(anchor, covered_hash(path, len(path.node_ids) - 1), {"text": text, **body})
    tree.context_summaries[row.key] = row
    return row


def asked(
    tree: Tree,
    at: str,
    *,
    window: int = 128_000,
    utilization: float | None = None,
    idle: float | None = 0,
    request: ContextRequest | None = None,
    others: Mapping[str, bool | str] | None = None,
    **economy: object,
) -> Assembled:
    """Assemble with these economy settings, all others off."""
    values = (
        {name: getattr(ALL_OFF, name) for name in EconomySettings.__slots__} | economy | dict(others or {})
    )
    base = request or ContextRequest(at, window=window, load=GivenLoad(utilization, idle, True))
    overrides = replace(base.overrides, economy=EconomySettings(**values))
    return assemble(tree, replace(base, overrides=overrides))


def kept(assembled: Assembled) -> str:
    return " ".join(assembled.report.kept)


def dropped(assembled: Assembled, reason: str) -> str:
    return " ".join(one.node_id for one in assembled.report.dropped if one.reason == reason)


def mixed(name: str, *blocks: Block, author: AuthorType = "human") -> Node:
    return node(name, Mixed(blocks), author)


def document(text: str, name: str = "a.txt") -> AttachedDocument:
    return AttachedDocument(name, "text/plain", text)


def use(call: str, name: str = "read_file", path: str = "a") -> ToolUse:
    return ToolUse(call, name, {"path": path})


def result(call: str, text: str, name: str = "read_file") -> ToolResult:
    return ToolResult(call, name, text)


def words(text: str) -> Text:
    return Text(text)
