"""Chains of branches: the heads from the root to a node, and the text, footer and numbers they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import Branch, read_branch
from loomapp.core.edits.tree_edits import title_from
from loomapp.core.errors import AssemblyError
from loomapp.core.model.entities import BranchSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.version_groups import VersionGroups
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.core.text.token_counts import by_chars_35, tokens_of_chars

MOST_HEADS = 50
IDEAL_DEPTH = 5
JOINER = "\n\n---\n\n"
ACTIVE = " (active)"
CYCLE = 'Circular reference detected at thread "{node_id}"'
DEPTH_HINT = "3 to 5 threads are ideal. In a deeper chain keep the summaries short."


@dataclass(frozen=True, slots=True)
class Head:
    """One head of a chain: its node and its place on the path, title and row."""

    node_id: str
    place: int
    title: str
    branch: Branch

    @property
    def summary(self) -> str:
        return self.branch.summary


@dataclass(frozen=True, slots=True)
class Chain:
    """The heads of a path, root first, the active one last; of more than 50 those nearest to it."""

    heads: tuple[Head, ...]
    system_context: str = ""
    is_capped: bool = False

    @property
    def depth(self) -> int:
        return len(self.heads)

    @property
    def text(self) -> str:
        """The chain's text without its footer; empty if all of it is blank."""
        return JOINER.join(self._sections())

    def _sections(self) -> Iterator[str]:
        context = self.system_context.strip()
        if context:
            yield f"## System Context\n\n{context}"
        for number, head in enumerate(self.heads, start=1):
            if head.summary:
                mark = ACTIVE if number == len(self.heads) else ""
                yield f"## Thread: {head.title}{mark}\n\n{head.summary}"

    @property
    def tokens(self) -> int:
        """Tokens of the text, at 3.5 characters each."""
        return by_chars_35(self.text)

    @property
    def depth_hint(self) -> Sentence | None:
        """Advice for a chain that is deeper than is useful; None for others."""
        return sentence(DEPTH_HINT) if self.depth > IDEAL_DEPTH else None


def chain_of(tree: Tree, path: Path) -> Chain:
    """The chain of a path: its first node, and every node with a row, whatever its flags. In a Buffer a row
    stands for all versions of its node.
    """
    heads = tuple(_heads(tree, path))
    return Chain(heads[-MOST_HEADS:], tree.loom.system_context or "", len(heads) > MOST_HEADS)


def circular(error: AssemblyError) -> AssemblyError:
    """An error of a path that leads in a circle, as chains tell it; any other as it is."""
    if error.code != "CYCLE":
        return error
    node_id = error.details.get("nodeId")
    return AssemblyError("CYCLE", worded(CYCLE, node_id=node_id), **error.details)


def rows_on(tree: Tree, path: Path) -> dict[int, BranchSummary]:
    """The rows of a path's heads, by the place of their node; of several for one passage its own, else the
    first that was made.
    """
    rows = tree.branch_summaries
    found: dict[int, BranchSummary] = {}
    if tree.loom.mode == "buffer" and rows:
        families = VersionGroups(tree)
        place_of = {families.of(node_id): place for place, node_id in enumerate(path.node_ids)}
        for node_id, row in rows.items():
            place = place_of.get(families.of(node_id))
            if place is not None:
                found.setdefault(place, row)
    for node_id, row in rows.items():
        place = path.place_of(node_id)
        if place is not None:
            found[place] = row
    return found


def _heads(tree: Tree, path: Path) -> Iterator[Head]:
    rows = rows_on(tree, path)
    for place in sorted({0, *rows}):
        node = path.nodes[place]
        branch = read_branch(rows[place]) if place in rows else Branch(node.id)
        title = tree.loom.title if place == 0 else title_of(branch, node.text)
        yield Head(node.id, place, title, branch)


def title_of(branch: Branch, text: str) -> str:
    """The title of a branch: its own, else the first words of its node."""
    title = branch.title
    return title if title is not None and title.strip() else title_from(text)


# What summaries saved


@dataclass(frozen=True, slots=True)
class Savings:
    """Updates of all summaries of a tree, and the tokens of everything that went into them."""

    updates: int
    raw_tokens: int

    def reduction(self, tokens: int) -> int | None:
        """Percent by which a context of so many tokens is less, below 0 if it is more; None without
        updates.
        """
        return percent_less(tokens, self.raw_tokens) if self.updates else None


def savings_of(branches: Iterable[Branch]) -> Savings:
    every = list(branches)
    updates = sum(branch.update_count for branch in every)
    return Savings(updates, tokens_of_chars(sum(branch.cumulative_length for branch in every)))


def percent_less(part: int, whole: int) -> int:
    """Percent by which a part is less than the whole, halves up; 0 for a whole of nothing."""
    return (200 * (whole - part) + whole) // (2 * whole) if whole else 0


def branches_of(tree: Tree) -> list[Branch]:
    """All rows of a tree whose node is there, in the order in which they were made."""
    return [read_branch(row) for row in tree.branch_summaries.values() if row.node_id in tree.nodes]


def footer(chain: Chain, savings: Savings) -> str:
    """The lines below a chain's text, the blank line before them included."""
    tokens = chain.tokens
    lines = ["\n\n---", f"_ThreadMind context: ~{tokens} tokens | depth: {chain.depth} threads_"]
    reduction = savings.reduction(tokens)
    if reduction is not None:
        less = f"~{max(0, reduction)}% reduction from {savings.updates} summary updates"
        lines.append(f"_Estimated raw history: ~{savings.raw_tokens:,} tokens ({less})_")
    return "\n".join(lines)


def context_text(tree: Tree, path: Path) -> str:
    """A chain's text with its footer: the answer of `context_get`."""
    chain = chain_of(tree, path)
    return chain.text + footer(chain, savings_of(branches_of(tree)))
