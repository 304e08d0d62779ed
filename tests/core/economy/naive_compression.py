"""Graduated compression from the sentences of the rules: each row a loop over all parts, in order."""

from __future__ import annotations

from dataclasses import dataclass

from tests.core.context.naive_loom import Json, Part
from tests.core.economy.naive_calls import Carried
from tests.core.economy.naive_pieces import EconomyLoom, NumberedUnit, Piece, pieces_of

KIB = 1024
SNIPPABLE_TOOLS = ("read_file", "grep_search", "list_files", "run_shell")
SNIPPED = "[Content snipped - re-read if needed]"
CLEARED = "[Old result cleared]"
KEPT_RESULTS = 3
LOOSE, TIGHT = 30_000, 15_000


def stored(text: str, local_id: str, *, is_loom_aware: bool = False) -> str:
    """ "UTF-8 size > 30 x 1024 bytes: a preview is sent" """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size <= 30 * KIB:
        return text
    lines = text.split("\n")
    how = "You can use read_file to see the full result." if is_loom_aware else "Only its beginning is shown."
    return (
        f"[Result too large ({size / KIB:.1f} KB, {len(lines)} lines). Full output saved to node {local_id}. "
        f"{how}]\n\nPreview (first 200 lines):\n" + "\n".join(lines[:200])
    )


def truncated(text: str) -> str:
    """ "> 50,000 characters: keep (50000-60)//2 = 24,970 at each end" """
    if len(text) <= 50_000:
        return text
    keep = (50_000 - 60) // 2
    return f"{text[:keep]}\n\n[... truncated {len(text) - 2 * keep} chars ...]\n\n{text[-keep:]}"


def budgeted(base: str, budget: int) -> str:
    """ "a base longer than that keeps (budget-80)//2 at each end" """
    if len(base) <= budget:
        return base
    keep = (budget - 80) // 2
    return f"{base[:keep]}\n\n[... budgeted: {len(base) - 2 * keep} chars truncated ...]\n\n{base[-keep:]}"


@dataclass
class Shortened:
    """A piece on its way through the rows."""

    piece: Piece
    base: str
    text: str
    row: str | None = None
    why: str | None = None

    def become(self, text: str, row: str, why: str) -> None:
        self.text, self.row, self.why = text, row, why

    @property
    def is_placeholder(self) -> bool:
        return self.row in ("snip", "clear")


class Compression:
    """What compression makes of units. `base_units` do not depend on utilisation; `run` goes on from them."""

    def __init__(
        self,
        loom: EconomyLoom,
        units: list[NumberedUnit],
        *,
        gone: list[NumberedUnit],
        compresses_text: bool,
    ) -> None:
        """`gone` are the units that a summary stands for: calls in them still have their results."""
        self.gone_pieces = pieces_of(gone)
        self.loom, self.units, self.compresses_text = loom, units, compresses_text
        self.pieces = pieces_of(units)
        # "The newest unit: never"
        self.newest = [id(part) for part in units[-1][1]]
        self.states = [Shortened(piece, self.base(piece), self.base(piece)) for piece in self.pieces]
        for state in self.states:
            if state.base != state.piece.whole:
                local_id = self.local_id(state.piece)
                cut = truncated(stored(state.piece.whole, local_id)) != stored(state.piece.whole, local_id)
                state.row, state.why = ("truncate" if cut else "store"), "size"

    def local_id(self, piece: Piece) -> str:
        return self.loom.local_ids[str(piece.node_id)]

    def may_shorten(self, piece: Piece) -> bool:
        """ "what it sends is never shortened" """
        if id(piece) in self.newest or self.loom.flagged(str(piece.node_id), "full"):
            return False
        return piece.is_result or self.is_text(piece)

    def is_text(self, piece: Piece) -> bool:
        """ "Plain text takes part only in the rows store to budget [...] and only by a second switch." """
        return self.compresses_text and piece.block.get("type") == "text"

    def base(self, piece: Piece) -> str:
        """ "Store and truncate give the base text of a part, from its original" """
        if not self.may_shorten(piece):
            return piece.whole
        return truncated(stored(piece.whole, self.local_id(piece)))

    def base_units(self) -> list[NumberedUnit]:
        return self.with_texts({id(state.piece): state.base for state in self.states})

    def with_texts(self, texts: dict[int, str]) -> list[NumberedUnit]:
        return [(place, [changed(part, texts) for part in unit]) for place, unit in self.units]

    def run(
        self, utilization: float, idle: float | None, carried: list[Carried]
    ) -> tuple[list[NumberedUnit], list[Json]]:
        """The units as they are sent, and the report's `compressed`."""
        self.carry_placeholders(carried)
        self.budget(utilization, carried)
        # "utilisation >= 0.60, and (idle >= 300 s or never called, or utilisation >= 0.75)"
        if utilization >= 0.60 and (idle is None or idle >= 300 or utilization >= 0.75):
            self.snip()
        # "idle >= 300 s (not: never called)"
        if idle is not None and idle >= 300:
            self.clear(utilization)
        texts = {id(state.piece): state.text for state in self.states}
        compressed = [
            {
                "nodeId": state.piece.node_id,
                "part": state.piece.index,
                "row": state.row,
                "beforeChars": len(state.piece.whole),
                "afterChars": len(state.text),
                "why": state.why,
            }
            for state in self.states
            if state.row is not None
        ]
        return self.with_texts(texts), compressed

    def carry_placeholders(self, carried: list[Carried]) -> None:
        """ "had [...] snipped or cleared stays at least as short in those that follow it" """
        for state, one in self.carried_states(carried):
            if one.row in ("snip", "clear") and state.piece.is_result:
                state.become(SNIPPED if one.row == "snip" else CLEARED, one.row, "carried")

    def carried_states(self, carried: list[Carried]) -> list[tuple[Shortened, Carried]]:
        return [
            (state, one)
            for state in self.states
            for one in carried
            if (state.piece.node_id, state.piece.index) == (one.node_id, one.part)
            and self.may_shorten(state.piece)
        ]

    def budget(self, utilization: float, carried: list[Carried]) -> None:
        """ "utilisation >= 0.50: 30,000 chars; > 0.70: 15,000" """
        budget = TIGHT if utilization > 0.70 else LOOSE if utilization >= 0.50 else None
        for state in self.states:
            if budget is not None and self.may_shorten(state.piece) and not state.is_placeholder:
                self.shorten(state, budget, "load")
        for state, one in self.carried_states(carried):
            if one.row == "budget" and not state.is_placeholder:
                self.shorten(state, budget_then(state.base, one), "carried")

    def shorten(self, state: Shortened, budget: int, why: str) -> None:
        text = budgeted(state.base, budget)
        if text != state.base and (state.row != "budget" or len(text) <= len(state.text)):
            state.become(text, "budget", why)

    def snip(self) -> None:
        """Snip "of documents and results of read_file, grep_search [...] all but the newest 3" """
        of_those = [state for state in self.states if self.is_snippable(state.piece)]
        for state in of_those[:-KEPT_RESULTS]:
            if self.may_shorten(state.piece) and not state.is_placeholder:
                state.become(SNIPPED, "snip", "again" if self.comes_again(state.piece) else "older")

    def is_snippable(self, piece: Piece) -> bool:
        if not piece.is_result:
            return False
        return piece.block["type"] == "document" or self.tool_name(piece) in SNIPPABLE_TOOLS

    def clear(self, utilization: float) -> None:
        """ "of results of every kind, placeholders not counted, all but the newest 3"; "documents only from
        utilisation 0.50 on (below it they count and stay)"
        """
        counted = [state for state in self.states if state.piece.is_result and not state.is_placeholder]
        for state in counted[:-KEPT_RESULTS]:
            stays = state.piece.block["type"] == "document" and utilization < 0.50
            if self.may_shorten(state.piece) and not stays:
                state.become(CLEARED, "clear", "idle")

    # Calls and what comes again

    def call_of(self, piece: Piece) -> Json | None:
        """The tool use that a result answers: the last one before it of that id, if the filter let it in."""
        before = self.pieces[: index_of(piece, self.pieces)]
        uses = [one.block for one in [*self.gone_pieces, *before] if one.block.get("type") == "tool_use"]
        wanted = piece.block.get("toolUseId")
        return next((use for use in reversed(uses) if use.get("id") == wanted), None)

    def tool_name(self, piece: Piece) -> str:
        call = self.call_of(piece)
        return str(piece.block.get("name") or (call["name"] if call is not None else ""))

    def comes_again(self, piece: Piece) -> bool:
        """ "where the same document (by name) or call (name and input) comes later" """
        later = self.pieces[index_of(piece, self.pieces) + 1 :]
        if piece.block["type"] == "document":
            documents = [one.block for one in later if one.block.get("type") == "document"]
            return piece.block["name"] in [document["name"] for document in documents]
        call = self.call_of(piece)
        answered = [self.call_of(one) for one in later if one.block.get("type") == "tool_result"]
        return call is not None and any(one is not None and is_same_call(call, one) for one in answered)


def index_of(piece: Piece, pieces: list[Piece]) -> int:
    return next(index for index, one in enumerate(pieces) if one is piece)


def is_same_call(call: Json, other: Json) -> bool:
    return (call.get("name"), call.get("input")) == (other.get("name"), other.get("input"))


def changed(part: Part, texts: dict[int, str]) -> Part:
    """The part with the text that it has now."""
    if not isinstance(part, Piece) or id(part) not in texts:
        return part
    return Piece(**{**vars(part), "text": texts[id(part)]})


def budget_then(base: str, one: Carried) -> int:
    """The budget that a part was cut to: as short as it was then, else as the utilisation of then says."""
    if one.after_chars is not None:
        return LOOSE if len(budgeted(base, LOOSE)) <= one.after_chars else TIGHT
    return TIGHT if one.utilization is not None and one.utilization > 0.70 else LOOSE
