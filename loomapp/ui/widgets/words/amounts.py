"""Amounts in words: tokens, characters, waits, and what was shortened, with its sizes before and after."""

from __future__ import annotations

from collections.abc import Sequence

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.outcomes import ShortenedNode
from loomapp.core.context.report import CompressedPart
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.compression import budget_at
from loomapp.core.generation.drafts import Awaited
from loomapp.core.model.content import AttachedDocument, ToolResult, blocks_of
from loomapp.core.model.economy_settings import DEFAULTS, Economy
from loomapp.core.model.entities import Node
from loomapp.ui import figures
from loomapp.ui.figures import number
from loomapp.ui.strings import tr


def tokens(count: int) -> str:
    return tr("1 token") if count == 1 else tr("{count} tokens").format(count=figures.number(count))


def characters_cut(count: int) -> str:
    """Return `1 character cut off` or `1,658 characters cut off`."""
    many = tr("{count} characters cut off").format(count=figures.number(count))
    return tr("1 character cut off") if count == 1 else many


def uncounted_calls(count: int) -> str:
    """Return a sentence on calls whose tokens nobody told."""
    many = tr(
        "The tokens of {count} calls are unknown: they were stopped, or the server does not report them."
    )
    one = tr("The tokens of 1 call are unknown: it was stopped, or the server does not report them.")
    return one if count == 1 else many.format(count=figures.number(count))


LONG_S = 30  # of waiting: it is said that nothing came


def awaited_words(awaited: Awaited) -> str:
    """`Reading 7,161 tokens (32 %) · 12 s`, or where nobody tells `Waiting · 12 s`, at last `Nothing yet`."""
    seconds = figures.number(awaited.seconds)
    if not awaited.total_tokens:
        waits = tr("Waiting · {seconds}\u00a0s")
        return (tr("Nothing yet · {seconds}\u00a0s") if awaited.seconds >= LONG_S else waits).format(
            seconds=seconds
        )
    return tr("Reading {count} tokens ({percent}\u00a0%) · {seconds}\u00a0s").format(
        count=figures.number(awaited.total_tokens), percent=round(100 * share_read(awaited)), seconds=seconds
    )


def share_read(awaited: Awaited) -> float:
    """Return the part of the prompt that is read, from 0 to 1."""
    return min(1.0, awaited.read_tokens / awaited.total_tokens) if awaited.total_tokens else 0.0


KILO = 1024
LEAST_SHOWN = 0.1  # KB


@dataclass(frozen=True, slots=True)
class ShortenedFacts:
    """All that the popover of a chip says; `text` is what is sent of the node."""

    node_id: str
    local_id: str
    title: str
    reason: str
    shortened: ShortenedNode
    text: str


def shortened_nodes(assembled: Assembled) -> dict[str, ShortenedNode]:
    """Return the nodes of a context of which long parts go shortened; several parts of one are added up."""
    found: dict[str, ShortenedNode] = {}
    for part in assembled.report.economy.compressed:
        before = found.get(part.node_id, ShortenedNode(part.row, 0, 0))
        found[part.node_id] = ShortenedNode(
            part.row, before.before_bytes + part.before_bytes, before.after_bytes + part.after_bytes
        )
    return found


def shortened_words(shortened: ShortenedNode) -> str:
    """Return how a node was shortened, by the last row that did it: `stored 58.6 → 9.1 KB`."""
    word = {
        "store": tr("stored"),
        "truncate": tr("cut"),
        "budget": tr("shortened"),
        "snip": tr("snipped"),
        "clear": tr("cleared"),
    }[shortened.row]
    before, after = kilobytes(shortened.before_bytes), kilobytes(shortened.after_bytes)
    return tr("{word} {before} → {after} KB").format(word=word, before=before, after=after)


def kilobytes(size: int) -> str:
    """Return a size of so many bytes in KB; what is not nothing is never told as nothing."""
    return f"{max(size / KILO, LEAST_SHOWN if size else 0):.1f}"


def facts_of(assembled: Assembled, node: Node) -> ShortenedFacts | None:
    """Return what is to be told of a shortened node; None if it is sent as it is."""
    parts = [part for part in assembled.report.economy.compressed if part.node_id == node.id]
    if not parts:
        return None
    economy = DEFAULTS if assembled.economy is None else assembled.economy.settings
    passages = assembled.fitted.passages
    texts = (passages.texts[i] for i, one in enumerate(passages.node_ids) if one == node.id)
    return ShortenedFacts(
        node.id,
        node.local_id,
        _title(parts[-1], is_whole=_is_whole(parts[-1], node, economy)),
        _reason(assembled, parts, node, economy),
        shortened_nodes(assembled)[node.id],
        "\n\n".join(texts),
    )


def _is_whole(part: CompressedPart, node: Node, economy: Economy) -> bool:
    """True for a part that is stored and has no more lines than a preview shows: all of it goes out."""
    return part.row == "store" and _lines(node, part) <= economy.preview_lines


def _title(part: CompressedPart, *, is_whole: bool) -> str:
    if is_whole:
        return tr("All of it is sent, below a note")
    return {
        "store": tr("Only its beginning is sent"),
        "truncate": tr("Its middle is not sent"),
        "budget": tr("Its middle is not sent"),
        "snip": tr("A line is sent in its place"),
        "clear": tr("A line is sent in its place"),
    }[part.row]


def _reason(assembled: Assembled, parts: Sequence[CompressedPart], node: Node, economy: Economy) -> str:
    """Return one sentence why, and one on what goes out instead."""
    part = parts[-1]
    load = assembled.report.economy.load
    why = "" if load is None else _fullness(load.utilization)
    limit = None if load is None else budget_at(load.utilization, economy)
    sentences = {
        ("store", "size"): tr(
            "{name} is larger than {kilobytes} KB. Its first {shown} of {lines} lines are sent; the "
            "whole text stays in the tree."
        ),
        ("truncate", "size"): tr(
            "{name} is longer than {most} characters. Its beginning and its end are sent; the whole "
            "text stays in the tree."
        ),
        ("budget", "load"): tr(
            "{why}, so long parts get {limit} characters each. The beginning and the end of {name} are "
            "sent; the whole text stays in the tree."
        ),
        ("snip", "again"): tr("{why}, and {name} comes again further down: that one is sent."),
        ("snip", "older"): tr(
            "{why}: of files and results only the newest {kept} are sent, and {name} is older."
        ),
        ("clear", "idle"): tr(
            "Nothing was asked for {minutes} minutes: of files and results only the newest {kept} are sent, "
            "and {name} is older."
        ),
    }
    if _is_whole(part, node, economy):
        sentences["store", "size"] = tr(
            "{name} is larger than {kilobytes} KB, so a note on its size is sent above it. It has no "
            "more than {shown} lines: all of them are sent."
        )
    carried = tr(
        "{name} was shortened for an earlier answer and stays so, so that what the model has cached can be "
        "used again. The whole text stays in the tree."
    )
    idle = 0 if load is None or load.idle is None else int(load.idle)
    return sentences.get((part.row, part.why), carried).format(
        name=_name(node, part),
        kilobytes=number(economy.store_bytes // KILO),
        shown=number(economy.preview_lines),
        lines=number(_lines(node, part)),
        most=number(economy.truncate_chars),
        why=why,
        limit=number(limit or 0),
        kept=number(economy.keep_results),
        minutes=number(max(1, idle // 60)),
    )


def _fullness(utilization: float) -> str:
    if utilization > 1:
        return tr("There is more here than the context window holds")
    share = f"{utilization:.0%}".replace("%", " %")
    return tr("The context window is {share} full").format(share=share)


def _name(node: Node, part: CompressedPart) -> str:
    blocks = blocks_of(node.content)
    match blocks[part.part] if part.part < len(blocks) else None:
        case AttachedDocument(name=name) if name:
            return name
        case ToolResult(name=name) if name:
            return tr("Result of {tool}").format(tool=name)
    return tr("Message {id}").format(id=node.local_id)


def _lines(node: Node, part: CompressedPart) -> int:
    blocks = blocks_of(node.content)
    block = blocks[part.part] if part.part < len(blocks) else None
    text = block.text if isinstance(block, AttachedDocument | ToolResult) else node.text
    return text.strip().count("\n") + 1
