"""Graduated compression of long parts: rows that shorten, each a pure function of a text and of the load.

Store and truncate give the base text of a part, from its original. Budget, snip and clear work on that base.
(The sixth row, compact, makes a summary: see `is_compaction_due`.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.model.economy_settings import Economy
from loomapp.core.text.token_counts import estimate

PartKind: TypeAlias = Literal["document", "tool_result", "text"]
RowName: TypeAlias = Literal["store", "truncate", "budget", "snip", "clear"]
Why: TypeAlias = Literal["size", "load", "again", "older", "idle", "carried"]

SNIPPED = "[Content snipped - re-read if needed]"
CLEARED = "[Old result cleared]"
PLACEHOLDERS = (SNIPPED, CLEARED)
SNIPPED_TOOLS = frozenset({"read_file", "grep_search", "list_files", "run_shell"})
TOO_LARGE = (
    "[Result too large ({kilobytes} KB, {lines} lines). Full output saved to node {local_id}. {how}]\n\n"
    "Preview (first {shown} lines):\n"
)
READ_IT = "You can use read_file to see the full result."
BEGINNING_ONLY = "Only its beginning is shown."
TRUNCATED = "\n\n[... truncated {count} chars ...]\n\n"
TRUNCATION_RESERVE = 60  # characters of a limit that are left for the mark
BUDGETED = "\n\n[... budgeted: {count} chars truncated ...]\n\n"
BUDGET_RESERVE = 80
BYTES_A_CHARACTER = 4  # at most, in UTF-8


@dataclass(frozen=True, slots=True)
class CompressiblePart:
    """One part that can be shortened: block `index` of a node, as it is sent otherwise.

    `source` tells parts of the same document, or of the same call, from others; None where a call is not
    known. `is_newest`: it belongs to the newest unit; `is_full`: its node is to be sent in full. Neither is
    ever shortened.
    """

    node_id: str | None
    index: int
    text: str
    kind: PartKind
    local_id: str = ""
    name: str = ""
    source: str | None = None
    is_newest: bool = False
    is_full: bool = False

    @property
    def is_kept(self) -> bool:
        return self.is_newest or self.is_full

    @property
    def is_result(self) -> bool:
        return self.kind != "text"

    @property
    def can_be_snipped(self) -> bool:
        return self.kind == "document" or (self.kind == "tool_result" and self.name in SNIPPED_TOOLS)


@dataclass(frozen=True, slots=True)
class Shortened:
    """A part's text as it is sent, and the last row that changed it, with the reason; None: it is whole."""

    text: str
    row: RowName | None = None
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class CarriedOn:
    """A part that an earlier call on the path had shortened: it stays at least as short. `budget` is how many
    characters a budgeted part may have.
    """

    node_id: str
    index: int
    row: Literal["budget", "snip", "clear"]
    budget: int = 0


@dataclass(frozen=True, slots=True)
class WindowLoad:
    """Load of the effective window, and for how many seconds nothing was asked; None: never called."""

    utilization: float
    idle: float | None = None


# Base texts


def base_of(part: CompressiblePart, economy: Economy, *, can_read: bool) -> Shortened:
    """The base text of a part: stored and truncated, if it is too long. `can_read`: the agent has a command
    that reads a node.
    """
    found = Shortened(part.text)
    if part.is_kept:
        return found
    if is_stored(part.text, economy.store_bytes):
        how = READ_IT if can_read else BEGINNING_ONLY
        found = Shortened(preview(part.text, part.local_id, how, economy.preview_lines), "store", "size")
    if len(found.text) > economy.truncate_chars:
        found = Shortened(truncated(found.text, economy.truncate_chars), "truncate", "size")
    return found


def shortest_shortened(economy: Economy) -> int:
    """Return the length in characters up to which no plain text is ever shortened."""
    least = (economy.truncate_chars, economy.budget_chars, economy.tight_chars)
    return min(*least, economy.store_bytes // BYTES_A_CHARACTER)


def is_stored(text: str, most_bytes: int) -> bool:
    if len(text) * BYTES_A_CHARACTER <= most_bytes:
        return False
    return len(text) > most_bytes or utf8_bytes(text) > most_bytes


def preview(text: str, local_id: str, how: str, lines: int) -> str:
    """The first lines of a text that is kept in its node, with a word on the rest."""
    head = TOO_LARGE.format(
        kilobytes=f"{utf8_bytes(text) / 1024:.1f}",
        lines=text.count("\n") + 1,
        local_id=local_id,
        how=how,
        shown=lines,
    )
    return head + "\n".join(text.split("\n", lines)[:lines])  # at each key: no more is taken apart


def truncated(text: str, most: int) -> str:
    """Both ends of a text that is longer than a limit, with a mark between them."""
    return _both_ends(text, (most - TRUNCATION_RESERVE) // 2, TRUNCATED)


def budgeted(text: str, budget: int) -> str:
    """Both ends of a base text that is longer than its budget, with a mark between them."""
    return _both_ends(text, (budget - BUDGET_RESERVE) // 2, BUDGETED)


def _both_ends(text: str, keep: int, mark: str) -> str:
    keep = max(0, keep)
    return text[:keep] + mark.format(count=len(text) - 2 * keep) + text[len(text) - keep :]


def utf8_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


# Budget, snip, clear


def budget_at(utilization: float, economy: Economy) -> int | None:
    """Characters that a base text may have; None where the window is empty enough."""
    if utilization > economy.tight_utilization:
        return economy.tight_chars
    return economy.budget_chars if utilization >= economy.budget_utilization else None


def snips(load: WindowLoad, economy: Economy) -> bool:
    """True where old results that can be read again are snipped: the window is fairly full, and nothing is
    cached any more or it is very full.
    """
    is_cold = load.idle is None or load.idle >= economy.snip_idle_seconds
    return load.utilization >= economy.snip_utilization and (
        is_cold or load.utilization >= economy.snip_always_utilization
    )


def clears(load: WindowLoad, economy: Economy) -> bool:
    """True where old results are cleared: nothing is cached any more."""
    return load.idle is not None and load.idle >= economy.clear_idle_seconds


@dataclass(frozen=True, slots=True)
class CompressedParts:
    """All parts as they are sent, in their order, and the tokens that budget, snip and clear newly freed:
    those of what was carried on are not among them.
    """

    parts: tuple[Shortened, ...]
    freed_tokens: int


def compressed(
    parts: Sequence[CompressiblePart],
    bases: Sequence[Shortened],
    economy: Economy,
    load: WindowLoad,
    carried: Iterable[CarriedOn] = (),
    count: Callable[[str], int] = estimate,
) -> CompressedParts:
    """Shorten parts, in sending order, for a load; `bases` are theirs, and `count` counts tokens."""
    before = {(one.node_id, one.index): one for one in carried}
    held = [_held(part, base, before, economy) for part, base in zip(parts, bases, strict=True)]
    found = [_budgeted(*one, economy, load, before) for one in zip(parts, bases, held, strict=True)]
    if snips(load, economy):
        found = _snipped(parts, found, economy)
    if clears(load, economy):
        found = _cleared(parts, found, economy, load)
    saved = (
        count(was.text) - count(now.text) for was, now in zip(held, found, strict=True) if was is not now
    )
    return CompressedParts(tuple(found), sum(saved))


_Carried: TypeAlias = dict[tuple[str, int], CarriedOn]


def _carried_on(part: CompressiblePart, before: _Carried) -> CarriedOn | None:
    if part.is_kept or part.node_id is None:
        return None
    return before.get((part.node_id, part.index))


def _held(part: CompressiblePart, base: Shortened, before: _Carried, economy: Economy) -> Shortened:
    """The part as short as an earlier call had it."""
    match _carried_on(part, before):
        case None:
            return base
        case CarriedOn(row="snip") if part.is_result:
            return Shortened(SNIPPED, "snip", "carried")
        case CarriedOn(row="clear") if part.is_result:
            return Shortened(CLEARED, "clear", "carried")
        case CarriedOn(budget=budget) if budget and len(base.text) > budget and _takes(part, economy):
            return Shortened(budgeted(base.text, budget), "budget", "carried")
        case _:
            return base


def _takes(part: CompressiblePart, economy: Economy) -> bool:
    return part.is_result or economy.compress_text


def _budgeted(
    part: CompressiblePart,
    base: Shortened,
    held: Shortened,
    economy: Economy,
    load: WindowLoad,
    before: _Carried,
) -> Shortened:
    if part.is_kept or held.text in PLACEHOLDERS:
        return held
    budget, one = budget_at(load.utilization, economy), _carried_on(part, before)
    if budget is None or (held.row == "budget" and one is not None and one.budget <= budget):
        return held
    return Shortened(budgeted(base.text, budget), "budget", "load") if len(base.text) > budget else held


def _snipped(
    parts: Sequence[CompressiblePart], found: Sequence[Shortened], economy: Economy
) -> list[Shortened]:
    old = _all_but_newest([i for i, part in enumerate(parts) if part.can_be_snipped], economy.keep_results)
    last = {part.source: i for i, part in enumerate(parts) if part.is_result and part.source is not None}
    result = list(found)
    for i in old:
        part = parts[i]
        if part.is_kept or found[i].text in PLACEHOLDERS:
            continue
        is_again = part.source is not None and last[part.source] > i
        result[i] = Shortened(SNIPPED, "snip", "again" if is_again else "older")
    return result


def _cleared(
    parts: Sequence[CompressiblePart], found: Sequence[Shortened], economy: Economy, load: WindowLoad
) -> list[Shortened]:
    counted = [i for i, part in enumerate(parts) if part.is_result and found[i].text not in PLACEHOLDERS]
    with_documents = load.utilization >= economy.clear_documents_utilization
    result = list(found)
    for i in _all_but_newest(counted, economy.keep_results):
        if not parts[i].is_kept and (with_documents or parts[i].kind != "document"):
            result[i] = Shortened(CLEARED, "clear", "idle")
    return result


def _all_but_newest(places: list[int], kept: int) -> list[int]:
    return places[: max(0, len(places) - kept)]


# Compaction


def is_compaction_due(used: int, freed_tokens: int, effective_window: int, economy: Economy) -> bool:
    """True where a summary is to be made although compression has shortened what it may."""
    return (used - freed_tokens) / effective_window > economy.compact_utilization
