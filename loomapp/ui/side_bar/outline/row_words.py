"""Words of outline rows: the beginning of a message, a sentence to hear, and which rows are listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from loomapp.core.context.outcomes import ByName, cut_answer, is_in_part
from loomapp.core.economy.branch_summaries import Branch, read_branch, title_of
from loomapp.core.edits.documents import name_of
from loomapp.core.generation.drafts import LiveDraft, failed_count
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Text, blocks_of, images_of
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.outline.lines import OtherParent, OutlineRow, words_below_heading
from loomapp.ui import figures
from loomapp.ui.strings import tr, unsteered, with_blank_named
from loomapp.ui.widgets.words.outcome_words import name_words

LONGEST = 160
EARLIER = "\0earlier"  # key of the row that stands for rows before those that the view knows


class RowPlace(NamedTuple):
    """A row of the outline, by the key of the model, and where its top is in the view, in px."""

    key: str
    y: int


def title(node: Node) -> str:
    """Return a node in one line: its one-liner, else the name of a document, else how its text begins."""
    return opening(node.summary or _document_name(node) or node.text)


def bookmark_title(node: Node, branch: str) -> str:
    """Return what a bookmark is called: its own label, else its branch's title of now, else its message."""
    return unsteered(node.metadata.bookmark_label or branch) or title(node)


def _document_name(node: Node) -> str:
    """Return the name of the document that a node is; empty for one that says more, or something else."""
    return name_of(node) if len(blocks_of(node.content)) == 1 else ""


def opening(text: str) -> str:
    """Return the beginning of a text on one line."""
    words = " ".join(text[:LONGEST].split())
    return unsteered(words) or tr("(empty)")


def shown_words(row: OutlineRow, node: Node | None, branch: str, is_prose: bool) -> str:
    """Return the words that stand in a row: those of its message, or what it stands for."""
    match row.kind:
        case "run":
            return run_words(row, is_prose)
        case "heading":
            return unsteered(row.words)
        case "above":
            forks = tr("1 fork above") if row.ways == 1 else tr("{count} forks above")
            return tr("from {number} · {forks}").format(
                number=figures.number(row.number), forks=forks.format(count=figures.number(row.ways))
            )
        case "more":
            words = tr("{count} earlier") if row.key == EARLIER else tr("{count} more")
            return words.format(count=figures.number(row.number))
    if node is None:
        return branch
    if branch or not is_prose or _document_name(node):
        return branch or title(node)
    if node.text.isspace() and not node.summary:  # as a split leaves it between paragraphs
        return with_blank_named(node.text)
    said = node.summary or words_below_heading(node.text)
    is_deleted = node.edited_from is not None and isinstance(node.content, Text) and not said.strip()
    return tr("words deleted") if is_deleted else opening(said)


def run_words(row: OutlineRow, is_prose: bool) -> str:
    """`to 43 · 20 messages, 3 retried`; of messages that a summary stands for `to 43 · 20 summarised`."""
    words = tr("to {last} · {count} passages") if is_prose else tr("to {last} · {count} messages")
    if row.is_covered:
        words = tr("to {last} · {count} summarised")
    said = words.format(last=figures.number(row.last_number), count=figures.number(len(row.run)))
    if row.retried:
        said += tr(", {count} retried").format(count=figures.number(row.retried))
    return said


def below_words(below: OtherParent, *, is_short: bool = False) -> str:
    """`below 4/6`, in short `4/6`: which alternative a row follows, as the pager of its text counts them."""
    place = _place(below.alternatives, below.node_id)
    return place if is_short else tr("below {place}").format(place=place)


def below_sentence(below: OtherParent, node: Node, is_prose: bool) -> str:
    """`Answers 4/6 “You may have the glass”, not 5/6 that is shown above it`"""
    words = tr("Continues {place} “{title}”, not {shown} that is shown above it")
    if not is_prose:
        words = tr("Answers {place} “{title}”, not {shown} that is shown above it")
    place, shown = (_place(below.alternatives, one) for one in (below.node_id, below.shown_id))
    return words.format(place=place, title=title(node), shown=shown)


def _place(alternatives: Sequence[str], node_id: str) -> str:
    return f"{figures.number(alternatives.index(node_id) + 1)}/{figures.number(len(alternatives))}"


def by_parent(drafts: Iterable[LiveDraft]) -> dict[str, tuple[LiveDraft, ...]]:
    """Return drafts by the message that they follow, without commands that wait for a person."""
    found: dict[str, tuple[LiveDraft, ...]] = {}
    for live in drafts:
        if not live.proposal:
            found[live.parent_id] = (*found.get(live.parent_id, ()), live)
    return found


def answers_words(drafts: Sequence[LiveDraft], agents: Mapping[str, Agent]) -> str:
    """`SmolLM2 is writing`, `Claude failed`; of several `2 on their way, 1 finished, 1 failed`."""
    failed, coming = failed_count(drafts), sum(not live.draft.ended for live in drafts)
    if len(drafts) == 1:
        agent = agents.get(drafts[0].agent_id)
        words = tr("{name} is waiting") if drafts[0].draft.waits else tr("{name} is writing")
        if drafts[0].draft.ended:
            words = tr("{name} failed") if failed else tr("{name} has finished")
        return words.format(name=tr("Model") if agent is None else unsteered(agent.name))
    on_way = tr("1 on its way") if coming == 1 else tr("{count} on their way")
    finished = len(drafts) - failed - coming
    parts = ((coming, on_way), (finished, tr("{count} finished")), (failed, tr("{count} failed")))
    return ", ".join(words.format(count=figures.number(count)) for count, words in parts if count)


def count_words(count: int, most: int) -> str:
    """`+12`, of very many `999+`."""
    return f"+{figures.number(count)}" if count < most else f"{figures.number(most - 1)}+"


def sentence(
    row: OutlineRow,
    node: Node,
    author: str,
    fate: str | None,
    by_name: ByName | None = None,
    *,
    hidden: int = 0,
    is_prose: bool = False,
) -> str:
    """`message 62, Claude Sonnet, 3 of 4: You may have the glass, bookmarked, folded, 12 below`"""
    words = tr("passage {number}") if is_prose else tr("message {number}")
    head = [tr("note") if row.kind == "note" else words.format(number=figures.number(row.number)), author]
    if row.alternatives:
        place, count = map(figures.number, row.place)
        head.append(tr("{number} of {count}").format(number=place, count=count))
    said = [f"{', '.join(head)}: {title(node)}", *states(node, fate, by_name)]
    if len(row.versions) > 1:
        said.append(tr("{count} versions").format(count=figures.number(len(row.versions))))
    if row.rails and row.is_head:
        rail = row.rails[-1]
        said.append(tr("way {number} of {count}").format(number=rail.way + 1, count=rail.count))
    if row.rails:
        said.append(tr("level {number}").format(number=len(row.rails) + 1))
    if row.ways:
        said.append(tr("{count} ways on").format(count=figures.number(row.ways)))
    if row.fold == "folded":
        said.append(tr("folded, {count} below").format(count=figures.number(hidden)))
    return ", ".join(said)


def states(node: Node, fate: str | None, by_name: ByName | None = None) -> list[str]:
    """Return words for the marks of a node."""
    marks = node.metadata
    found = [
        (marks.excluded, tr("excluded")),
        (marks.pruned, tr("deleted")),
        (fate == "truncated", tr("no room")),
        (fate == "refused", tr("nothing can be sent now")),
        (marks.bookmarked, tr("bookmarked")),
        (node.interrupted is not None, tr("interrupted")),
    ]
    said = [words for is_so, words in found if is_so]
    return said if by_name is None else [*said, name_words(by_name, len(images_of(node.content)))]


def branch_title(tree: Tree, node: Node) -> str:
    """Return the title of the branch whose head a node is; empty if it is none, or the start of the tree."""
    branch = branch_at(tree, node)
    return "" if branch is None else unsteered(" ".join(title_of(branch, node.text).split()))


def branch_at(tree: Tree, node: Node) -> Branch | None:
    """Return the branch whose head a node is, if it has a title or a summary."""
    row = None if node.id == tree.root_id else tree.branch_summaries.get(node.id)
    return None if row is None else read_branch(row)


def is_listed(wanted: str, row: OutlineRow, node: Node | None) -> bool:
    """True for a row with branches, bookmarked, or by a person, where only those are wanted."""
    if wanted == "branches":
        return bool(row.ways) or len(row.alternatives) > 1
    if node is None or not row.is_node:
        return False
    return node.metadata.bookmarked if wanted == "bookmarked" else node.author_type == "human"


def writer_in(row: OutlineRow, written: Mapping[str, str]) -> str | None:
    """Return who wrote the node of a row, or an alternative it stands for, that nobody looked at yet."""
    return next((written[one] for one in (row.node_id, *row.alternatives) if one in written), None)


def with_states(said: str, row: OutlineRow, fates: Mapping[str, str], written: Mapping[str, str]) -> str:
    """Add to a sentence that its node goes out in part, and who wrote something in the row that is new."""
    node_id = row.node_id
    if is_in_part(fates, node_id):
        said = tr("{said}, sent in part").format(said=said)
    if cut_answer(fates, node_id) is not None:
        said = tr("{said}, cut at its limit").format(said=said)
    who = writer_in(row, written)
    return said if who is None else tr("{said}, new from {who}").format(said=said, who=unsteered(who))


def shown_outcome(fates: Mapping[str, str], node_id: str) -> tuple[str | None, bool, int | None]:
    """Return all that a row shows of what becomes of its node."""
    return fates.get(node_id), is_in_part(fates, node_id), cut_answer(fates, node_id)
