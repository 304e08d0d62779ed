"""Economy of a request as it is recorded: what decided of summaries and compression, and was carried on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.compression import is_full
from loomapp.core.context.report import UsedSummary
from loomapp.core.context.request import GivenLoad
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import Chain
from loomapp.core.economy.compression import CarriedOn
from loomapp.core.json_values import Json, JsonReader
from loomapp.core.model.economy_settings import (
    ALL_OFF,
    ASSEMBLERS,
    AUTO,
    DEFAULTS,
    NOTHING_OWN,
    SUMMARIES,
    EconomySettings,
    economy_from_reader,
    economy_to_json,
    numbers_to_json,
)
from loomapp.core.model.entities import FULL, BranchSummary, ContextSummary, Metadata, Node
from loomapp.core.model.tree import Tree

_Values: TypeAlias = Mapping[str, object]
BUDGETS = "budgets"  # of parts carried on, where they are none of the call's own: its tree was set otherwise


@dataclass(frozen=True, slots=True)
class RecordedParts:
    """Parts of nodes that a record tells of, by its economy and its report. What cannot be read is passed
    over: a record may be written by hand.
    """

    economy: _Values
    report: _Values

    def carried(self) -> Iterator[CarriedOn]:
        """The parts that the call carried on. A budgeted one may be as long as the report tells that it was,
        else as the load of the call allowed.
        """
        told = {(one.node_id, one.index): one.budget for one in self._reported()} | self._own_budgets
        entries = self.economy.get("carried")
        for entry in entries if isinstance(entries, list) else ():
            match entry:
                case [str(node_id), int(index), "budget"]:
                    budget = told.get((node_id, index)) or self._budget_by_load()
                    yield CarriedOn(node_id, index, "budget", budget)
                case [str(node_id), int(index), "snip"]:
                    yield CarriedOn(node_id, index, "snip")
                case [str(node_id), int(index), "clear"]:
                    yield CarriedOn(node_id, index, "clear")

    def shortened(self) -> Iterator[CarriedOn]:
        """The parts that the call had budgeted, snipped or cleared: by its report, where it has one that
        tells, else those that it carried on.
        """
        return self._reported() if "compressed" in self.report else self.carried()

    def _reported(self) -> Iterator[CarriedOn]:
        budgets, own = self._budgets, self._own_budgets
        entries = self.report.get("compressed")
        for entry in entries if isinstance(entries, list) else ():
            match entry:
                case {"nodeId": str(node_id), "part": int(index), "row": "budget", "why": "carried"} if (
                    node_id,
                    index,
                ) in own:
                    yield CarriedOn(node_id, index, "budget", own[node_id, index])
                case {"nodeId": str(node_id), "part": int(index), "row": "budget", "afterChars": int(length)}:
                    least = min((one for one in budgets if length <= one), default=budgets[0])
                    yield CarriedOn(node_id, index, "budget", least)
                case {"nodeId": str(node_id), "part": int(index), "row": "snip"}:
                    yield CarriedOn(node_id, index, "snip")
                case {"nodeId": str(node_id), "part": int(index), "row": "clear"}:
                    yield CarriedOn(node_id, index, "clear")

    @property
    def _budgets(self) -> tuple[int, int]:
        """Characters of a budgeted part under a usual load, and under a tight one."""
        loose = self._number("budgetChars", DEFAULTS.budget_chars)
        return int(loose), int(self._number("tightChars", DEFAULTS.tight_chars))

    @property
    def _own_budgets(self) -> dict[tuple[str, int], int]:
        """Characters of parts that were carried on from a call with other numbers, by node and part."""
        entries = self.economy.get(BUDGETS)
        found: dict[tuple[str, int], int] = {}
        for entry in entries if isinstance(entries, list) else ():
            match entry:
                case [str(node_id), int(index), int(budget)]:
                    found[node_id, index] = budget
        return found

    def _budget_by_load(self) -> int:
        loose, tight = self._budgets
        load = self.economy.get("utilization")
        edge = self._number("tightUtilization", DEFAULTS.tight_utilization)
        return tight if isinstance(load, int | float) and load > edge else loose

    def _number(self, key: str, usual: float) -> float:
        """A number of compression as the call had it."""
        numbers = self.economy.get("compression")
        value = numbers.get(key) if isinstance(numbers, Mapping) else None
        return usual if isinstance(value, bool) or not isinstance(value, int | float) else value


@dataclass(frozen=True, slots=True)
class SentSummary:
    """The context summary that was in use."""

    anchor_node_id: str
    covered_hash: str
    text: str


@dataclass(frozen=True, slots=True)
class SentHead:
    """One head of the chain that was in use."""

    node_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class SentEconomy:
    """Decisions of economy for one request. `numbers` are those of compression, None where it was off; `full`
    are the nodes that were to be sent in full. `idle` is None for never called.
    """

    assembler: str = AUTO
    summary: SentSummary | None = None
    heads: tuple[SentHead, ...] | None = None
    numbers: EconomySettings | None = None
    can_read: bool = False
    full: tuple[str, ...] = ()
    utilization: float | None = None
    idle: float | None = None
    carried: tuple[CarriedOn, ...] = ()

    @property
    def settings(self) -> EconomySettings:
        """The settings by which the same is decided again, once the tree is `as_seen`."""
        return replace(
            ALL_OFF if self.numbers is None else self.numbers,
            assembler=self.assembler,
            use_summaries=self.summary is not None,
            make_summaries=ALL_OFF.make_summaries,
            compression=self.numbers is not None,
            min_recent_messages=1,
        )

    @property
    def load(self) -> GivenLoad:
        return GivenLoad(self.utilization, self.idle, True, self.carried)

    def as_seen(self, seen: Tree, root_id: str) -> None:
        """Put into a sketch of the tree the summaries of then, and no others; the tree is titled as its root
        was, if that was one of the heads.
        """
        seen.context_summaries, seen.branch_summaries = {}, {}
        if self.summary is not None:
            body = {"text": self.summary.text}
            row = ContextSummary(self.summary.anchor_node_id, self.summary.covered_hash, body)
            seen.context_summaries = {row.key: row}
        for head in self.heads or ():
            values = {"title": head.title, "text": head.text}
            seen.branch_summaries[head.node_id] = BranchSummary(head.node_id, values)
            if head.node_id == root_id:
                seen.loom = replace(seen.loom, title=head.title)

    def flagged(self, node_id: str, metadata: Metadata) -> Metadata:
        """A node's flags as they were for compression."""
        was_full = node_id in self.full
        if self.numbers is None or is_full(metadata) == was_full:
            return metadata
        others = {key: value for key, value in metadata.extra.items() if key != FULL}
        return replace(metadata, extra={**others, FULL: True} if was_full else others)


def economy_of(tree: Tree, assembled: Assembled) -> SentEconomy | None:
    """The decisions for a context; None where all of it was off, or had nothing to decide."""
    economy = assembled.economy
    if economy is None:
        return None
    stages, summarised = economy.stages, economy.summarised
    if not (stages.chain or stages.compression or summarised.used is not None):
        return None
    found = SentEconomy(
        SUMMARIES if stages.chain else AUTO,
        _summary(summarised.used, summarised.text),
        _heads(economy.chain) if stages.chain else None,
    )
    if not stages.compression:
        return found
    beside = (tree.nodes[node_id] for node_id in assembled.placed.parts if node_id in tree.nodes)
    nodes = (*assembled.placed.path.nodes, *beside)
    return replace(
        found,
        numbers=economy_from_reader(JsonReader(numbers_to_json(economy.settings), "")),
        can_read=economy.can_read,
        full=full_nodes(nodes),
        utilization=economy.load.utilization,
        idle=economy.load.idle,
        carried=economy.carried,
    )


def _summary(used: UsedSummary | None, text: str | None) -> SentSummary | None:
    if used is None or text is None:
        return None
    return SentSummary(used.anchor_node_id, used.covered_hash, text)


def _heads(chain: Chain | None) -> tuple[SentHead, ...]:
    heads = () if chain is None else chain.heads
    return tuple(SentHead(head.node_id, head.title, head.summary) for head in heads)


def full_nodes(nodes: Iterable[Node]) -> tuple[str, ...]:
    """The nodes among these that are to be sent in full, each once."""
    return tuple(dict.fromkeys(node.id for node in nodes if is_full(node.metadata)))


# JSON


def to_json(economy: SentEconomy) -> Json:
    """The decisions as the record of a request holds them."""
    summary, heads, numbers = economy.summary, economy.heads, economy.numbers
    budgets = list(_other_budgets(economy))
    return {
        "assembler": economy.assembler,
        "summary": None if summary is None else _summary_to_json(summary),
        "heads": None if heads is None else list(map(_head_to_json, heads)),
        "compression": None if numbers is None else economy_to_json(numbers),
        "utilization": economy.utilization,
        "idle": economy.idle,
        "carried": [[one.node_id, one.index, one.row] for one in economy.carried],
        **({BUDGETS: budgets} if budgets else {}),
        **({"canRead": True} if economy.can_read else {}),
        **({FULL: list(economy.full)} if economy.full else {}),
    }


def _other_budgets(economy: SentEconomy) -> Iterator[list[str | int]]:
    """The budgets of carried parts that the call's own numbers do not tell."""
    numbers = economy.numbers or NOTHING_OWN
    loose, tight = numbers.budget_chars or DEFAULTS.budget_chars, numbers.tight_chars or DEFAULTS.tight_chars
    for one in economy.carried:
        if one.row == "budget" and one.budget not in (0, loose, tight):
            yield [one.node_id, one.index, one.budget]


def _summary_to_json(summary: SentSummary) -> Json:
    anchor = {"anchorNodeId": summary.anchor_node_id, "coveredHash": summary.covered_hash}
    return {**anchor, "text": summary.text}


def _head_to_json(head: SentHead) -> Json:
    return {"nodeId": head.node_id, "title": head.title, "text": head.text}


def from_json(value: object, report: Mapping[str, object], place: str) -> SentEconomy:
    """The decisions as a record holds them; `report` is the record's own, which tells how long budgeted parts
    were. Raises: InvalidInput with the place.
    """
    reader = JsonReader(value, place)
    listed = reader.rest.get("heads")
    heads = reader.each("heads", _head_from_json)
    carried = tuple(RecordedParts(dict(reader.rest), report).carried())
    summary, numbers, _ = reader.take("summary"), reader.take("compression"), reader.items("carried")
    reader.take(BUDGETS)
    own = NOTHING_OWN if numbers is None else economy_from_reader(JsonReader(numbers, f"{place}.compression"))
    return SentEconomy(
        reader.one_of("assembler", ASSEMBLERS, AUTO),
        None if summary is None else _summary_from_json(summary, f"{place}.summary"),
        None if listed is None else heads,
        None if numbers is None else own,
        reader.flag("canRead", default=False),
        reader.texts(FULL),
        reader.number("utilization"),
        reader.number("idle"),
        carried,
    )


def _summary_from_json(value: object, place: str) -> SentSummary:
    reader = JsonReader(value, place)
    return SentSummary(reader.name("anchorNodeId"), reader.text("coveredHash"), reader.text("text"))


def _head_from_json(value: object, place: str) -> SentHead:
    reader = JsonReader(value, place)
    return SentHead(reader.name("nodeId"), reader.text("title"), reader.text("text"))
