"""Branch summaries, their edits, and chains of branches: heads from the root to a node, and their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.edits.node_edits import add_aside
from loomapp.core.edits.tree_edits import title_from
from loomapp.core.errors import AssemblyError
from loomapp.core.json_values import Json, count_at, text_at
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import BranchSummary
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.version_groups import VersionGroups
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.core.text.token_counts import by_chars_35, tokens_of_chars
from loomapp.core.times import iso_time

MOST_HEADS = 50
IDEAL_DEPTH = 5
JOINER = "\n\n---\n\n"
ACTIVE = " (active)"
CYCLE = 'Circular reference detected at thread "{node_id}"'
DEPTH_HINT = "3 to 5 branches one below another are ideal. With more of them keep the summaries short."


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


BranchOrigin: TypeAlias = Literal["manual", "generated"]
MANUAL: Final = "manual"
GENERATED: Final = "generated"


@dataclass(frozen=True, slots=True)
class Branch:
    """A head's row as it is read. Lengths are code points of the texts as they were submitted, unstripped;
    `text` is None where there is none yet.
    """

    node_id: str
    title: str | None = None
    text: str | None = None
    origin: str = MANUAL
    model: str | None = None
    update_count: int = 0
    first_length: int = 0
    current_length: int = 0
    cumulative_length: int = 0
    last_updated_at: str | None = None

    @property
    def summary(self) -> str:
        """The summary as it is sent, stripped; empty if it is blank."""
        return (self.text or "").strip()


KEYS: Mapping[str, str] = {  # of Loom JSON, in the order in which they are written
    "title": "title",
    "text": "text",
    "origin": "origin",
    "model": "model",
    "update_count": "updateCount",
    "first_length": "firstContentLength",
    "current_length": "currentContentLength",
    "cumulative_length": "cumulativeInputLength",
    "last_updated_at": "lastUpdatedAt",
}


def read_branch(row: BranchSummary) -> Branch:
    """Read a row. Counters that are missing count a text as one update of its length; a value that is not of
    its kind counts as missing.
    """
    body = row.body
    text = text_at(body, "text")
    length = len(text or "")
    return Branch(
        row.node_id,
        text_at(body, "title"),
        text,
        text_at(body, "origin") or MANUAL,
        text_at(body, "model"),
        count_at(body, "updateCount", 1 if text else 0),
        count_at(body, "firstContentLength", length),
        count_at(body, "currentContentLength", length),
        count_at(body, "cumulativeInputLength", length),
        text_at(body, "lastUpdatedAt"),
    )


def with_update(
    row: BranchSummary,
    text: str,
    at: str,
    *,
    origin: BranchOrigin = "manual",
    model: str | None = None,
    response_id: str | None = None,
) -> BranchSummary:
    """Return the row after one update: its text as submitted, and the counters that follow. `at` is its time
    in ISO 8601, `response_id` names the response that the text was taken from, if a model wrote it.
    """
    before, length = read_branch(row), len(text)
    after = replace(
        before,
        text=text,
        origin=origin,
        model=model,
        update_count=before.update_count + 1,
        first_length=before.first_length if before.update_count else length,
        current_length=length,
        cumulative_length=before.cumulative_length + length,
        last_updated_at=at,
    )
    return replace(_written(row, after, tuple(KEYS)), response_id=response_id)


def with_title(row: BranchSummary, title: str | None) -> BranchSummary:
    """Return the row under another title; None takes the first words of its node. It is no update."""
    return _written(row, replace(read_branch(row), title=title), ("title",))


def _written(row: BranchSummary, branch: Branch, names: tuple[str, ...]) -> BranchSummary:
    """Write these fields into a row; all other keys stay as they are."""
    values: Json = {KEYS[name]: getattr(branch, name) for name in names}
    return replace(row, body={**row.body, **values})


@dataclass(frozen=True, slots=True)
class ProposedSummary:
    """A text that a model wrote for the summary of a branch, and the response that it was taken from."""

    text: str
    model: str | None
    response: Evidence


def head_row(tree: Tree, node_id: str) -> BranchSummary | None:
    """The row of the head at a node, None if no branch begins there. In a Buffer a row stands for all
    versions of its node: of several it is the node's own, else the first that was made, as in a chain.
    """
    rows = tree.branch_summaries
    if node_id in rows or tree.loom.mode != "buffer" or not rows:
        return rows.get(node_id)
    families = VersionGroups(tree)
    family = families.of(node_id)
    same = (row for row in rows.values() if row.node_id in tree.nodes and families.of(row.node_id) == family)
    return next(same, None)


def update_summary(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change | None:
    """Write the summary of the branch at a node by hand: one update, with its counters. None if it says so
    already. A node that was no head becomes one.
    """
    row = head_row(tree, node_id)
    if text == ((row and read_branch(row).text) or ""):
        return None
    return submit_summary(tree, node_id, text, pen)


def submit_summary(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change:
    """Write the summary of the branch at a node: one update, also where it says so already."""
    row = head_row(tree, node_id)
    after = with_update(row or BranchSummary(node_id), text, iso_time(pen.now))
    return change_of(tree, "Branch summary", pen, (RowChange(row, after),))


def accept_summary(tree: Tree, node_id: str, proposed: ProposedSummary, pen: EditContext) -> Change | None:
    """Take a proposed text, as the model wrote it, for the summary of the branch at a node: one update, which
    keeps its response. None if the summary says so already.
    """
    row = head_row(tree, node_id) or BranchSummary(node_id)
    if proposed.text == read_branch(row).text:
        return None
    after = with_update(
        row,
        proposed.text,
        iso_time(pen.now),
        origin=GENERATED,
        model=proposed.model,
        response_id=proposed.response.id,
    )
    change = change_of(
        tree, "Branch summary", pen, (RowChange(tree.branch_summaries.get(row.node_id), after),)
    )
    return replace(change, evidence=(proposed.response,))


def begin_branch(tree: Tree, parent_id: str, title: str, pen: EditContext) -> Change:
    """Begin a branch of this title with a new empty node after `parent_id`; the active path stays."""
    node = add_aside(tree, parent_id, "", pen)
    row = with_title(BranchSummary(node.added_nodes()[0].id), " ".join(title.split()) or None)
    return change_of(tree, "Name branch", pen, (*node.rows, RowChange(None, row)))


def name_branch(tree: Tree, node_id: str, title: str, pen: EditContext) -> Change | None:
    """Name the branch at a node; a blank title takes the first words of the node. A node that was no head
    becomes one. A head that loses its title and has no summary is none any more.
    """
    row, said = head_row(tree, node_id), " ".join(title.split()) or None
    if row is None:
        after: BranchSummary | None = with_title(BranchSummary(node_id), said)
    else:
        before = read_branch(row)
        if said == before.title:
            return None
        is_left = said is None and not before.text and not before.update_count
        after = None if is_left else with_title(row, said)
    return change_of(tree, "Name branch", pen, (RowChange(row, after),))
