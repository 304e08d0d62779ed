"""Statistics of branch summaries: what they saved, as text and as JSON, and the names of threads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import (
    Branch,
    Chain,
    Savings,
    branches_of,
    chain_of,
    percent_less,
    read_branch,
    rows_on,
    savings_of,
    title_of,
)
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.version_groups import VersionGroups
from loomapp.core.text.token_counts import tokens_of_chars

MAIN, UNNAMED = "main", "thread"
NOTHING_TRACKED = "No summary updates tracked yet. Use summary_update to start tracking."
METHOD = (
    "Method: Cumulative summary input vs current context size.",
    "Token estimates use ~3.5 chars/token approximation.",
)
_OTHER = re.compile("[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Thread:
    """A head that is not pruned, and the name that commands know it by."""

    node_id: str
    name: str
    title: str
    branch: Branch

    @property
    def ratio(self) -> int:
        """Percent by which its text is less than all that went into it, at least 0."""
        return max(0, percent_less(self.branch.current_length, self.branch.cumulative_length))


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers of a tree's summaries, of the chain of one path, and of that path's own texts."""

    title: str
    threads: tuple[Thread, ...]
    chain: Chain
    savings: Savings
    path_tokens: int

    @property
    def tracked(self) -> tuple[Thread, ...]:
        return tuple(thread for thread in self.threads if thread.branch.update_count)

    @property
    def reduction(self) -> int | None:
        """Percent, below 0 if the chain is more than went into it; None without updates."""
        return self.savings.reduction(self.chain.tokens)


def statistics_of(tree: Tree, path: Path) -> Statistics:
    texts = (c.text if type(c := node.content) is Text else node.text for node in path.nodes)
    characters = sum(map(len, texts))
    savings = savings_of(branches_of(tree))
    threads = tuple(threads_of(tree, path))
    return Statistics(tree.loom.title, threads, chain_of(tree, path), savings, tokens_of_chars(characters))


def threads_of(tree: Tree, path: Path) -> Iterator[Thread]:
    """The heads of a tree that are not pruned: the root, then in the order in which they became heads. In a
    Buffer versions of one passage are one head, under the row that the chain of the path reads. The root's
    name is kept for it, whether it is pruned or not.
    """
    rows = _rows_by_head(tree, path)
    main = rows.pop(tree.root_id, Branch(tree.root_id))
    taken = {MAIN}
    for branch in (main, *rows.values()):
        node = tree.nodes.get(branch.node_id)
        if node is None or node.metadata.pruned:
            continue
        if branch is main:
            yield Thread(branch.node_id, MAIN, tree.loom.title, branch)
            continue
        title = title_of(branch, node.text)
        name = _free(slug(title), taken)
        taken.add(name)
        yield Thread(branch.node_id, name, title, branch)


def _rows_by_head(tree: Tree, path: Path) -> dict[str, Branch]:
    """One row for each head, by a node that stands for it, in the order in which they became heads: of
    several for one passage that of the path's version, else the first that was made.
    """
    families = VersionGroups(tree) if tree.loom.mode == "buffer" else None
    root = tree.root_id

    def head_of(node_id: str) -> str:
        if families is None:
            return node_id
        family = families.of(node_id)
        return root if family == families.of(root) else family

    found: dict[str, Branch] = {}
    for row in tree.branch_summaries.values():
        if row.node_id in tree.nodes:
            found.setdefault(head_of(row.node_id), read_branch(row))
    for place, row in sorted(rows_on(tree, path).items(), reverse=True):
        found[head_of(path.node_ids[place])] = read_branch(row)
    return found


def slug(title: str) -> str:
    """A title as a name for commands: `Auth UI` is `auth-ui`."""
    return _OTHER.sub("-", title.lower()).strip("-") or UNNAMED


def _free(name: str, taken: Iterable[str]) -> str:
    """The name, or it with the first number from 2 on that nobody has."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def to_text(found: Statistics) -> str:
    return "\n".join(_lines(found))


def _lines(found: Statistics) -> Iterator[str]:
    savings, chain, reduction = found.savings, found.chain, found.reduction
    yield f'ThreadMind Stats: "{found.title}"'
    yield ""
    yield "Overview:"
    yield f"  Threads: {len(found.threads)} ({len(found.tracked)} with tracked updates)"
    yield f"  Summary updates: {savings.updates}"
    yield f"  Current context: ~{chain.tokens} tokens (depth: {chain.depth})"
    yield ""
    if reduction is None:
        yield "Token Savings:"
        yield f"  {NOTHING_TRACKED}"
    else:
        yield "Token Savings (estimated):"
        yield f"  Estimated raw history: ~{savings.raw_tokens:,} tokens"
        yield f"  ThreadMind context:    ~{chain.tokens} tokens"
        yield f"  Reduction:             ~{max(0, reduction)}%"
        yield ""
        yield "Per-Thread Breakdown:"
        yield _row("Thread", "Updates", "Current", "Cumulative", "Ratio")
        for thread in found.tracked:
            branch = thread.branch
            current, cumulative = map(tokens_of_chars, (branch.current_length, branch.cumulative_length))
            yield _row(
                thread.name, str(branch.update_count), f"~{current}", f"~{cumulative}", f"{thread.ratio}%"
            )
    yield ""
    yield from METHOD


def _row(name: str, updates: str, current: str, cumulative: str, ratio: str) -> str:
    return f"  {name:<20} {updates:<9} {current:<10} {cumulative:<14} {ratio}"


def to_json(found: Statistics) -> Json:
    return {
        "title": found.title,
        "threads": len(found.threads),
        "tracked": len(found.tracked),
        "updates": found.savings.updates,
        "contextTokens": found.chain.tokens,
        "depth": found.chain.depth,
        "depthCapped": found.chain.is_capped,
        "rawTokens": found.savings.raw_tokens,
        "reduction": found.reduction,
        "rows": [
            {
                "nodeId": thread.node_id,
                "name": thread.name,
                "updates": thread.branch.update_count,
                "currentTokens": tokens_of_chars(thread.branch.current_length),
                "cumulativeTokens": tokens_of_chars(thread.branch.cumulative_length),
                "ratio": thread.ratio,
            }
            for thread in found.tracked
        ],
        "pathTokens": found.path_tokens,
    }
