"""Summaries of a tree and their responses against the change log, also of such as are undone or edited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from sqlalchemy import Connection

from loomapp.core.model.entities import BranchSummary, ContextSummary, Row, Summary
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.summaries import LOST_RESPONSE, contradictions, name_of, resting
from loomapp.store.rows import change_log, log_rows, responses
from loomapp.store.rows.log_rows import SUMMARIES, LoggedRow, response_of

LoggedSummaries: TypeAlias = dict[str, LoggedRow]  # the last row that told of each response of a summary


def summaries_in(rows: Iterable[LoggedRow]) -> LoggedSummaries:
    """The responses that rows of the log say summaries rest on, each with a row that says no more than so."""
    found: LoggedSummaries = {}
    for row in rows:
        if row[0] in SUMMARIES:
            for state in row[1:3]:
                name = response_of(state) if isinstance(state, dict) else None
                if name is not None:
                    found[name] = [row[0], None, state]
    return found


@dataclass(frozen=True, slots=True)
class SaidOfResponses:
    """The word of the change log on the responses of a tree."""

    seals: Mapping[str, str]
    of_summaries: LoggedSummaries
    is_own: Callable[[str], bool]

    def faults(self, summary: Summary, item: Evidence | None) -> Iterator[str]:
        """Yield a line for whatever of a summary is not as its response, or that not as it was received."""
        if item is None:
            yield f"{name_of(summary)}: {LOST_RESPONSE}"
            return
        if change_log.seal(item) != self.seals.get(item.id):
            yield f"{name_of(summary)}: {responses.why_not_as_received(item)}"
        for reason in contradictions(summary, item, is_own=self.is_own(item.id)):
            yield f"{name_of(summary)}: {reason}"


def summary_faults(connection: Connection, number: int, tree: Tree, said: SaidOfResponses) -> Iterator[str]:
    """Yield a line for each summary that is not what its response says, and for each response of one that is
    lost or changed, also where the summary is undone, edited or replaced by now.
    """
    rows = {row.key: row for row in resting(tree)}
    names = {*said.of_summaries, *(row.response_id or "" for row in rows.values())}
    kept = {item.id: item for item in responses.read_named_evidence(connection, number, names)}
    for row in rows.values():
        yield from said.faults(row, kept.get(row.response_id or ""))
    claimed = {row.response_id for row in rows.values()}
    for name, logged in said.of_summaries.items():
        if name not in claimed:
            yield from said.faults(summary_of(logged), kept.get(name))


def summary_of(logged: LoggedRow) -> Summary:
    """The summary that a row of the log says came."""
    row = log_rows.decode(logged, lambda _: NotImplemented).after
    return cast(Summary, row)


@dataclass(frozen=True, slots=True)
class HeldSummaries:
    """The marks of a file under the names that its responses have in the grove it came from."""

    rows: list[Row]
    faults: list[str]


def held_summaries(
    rows: Iterable[Row],
    evidence: Iterable[Evidence],
    marks: Mapping[tuple[str, str], object],
    said: SaidOfResponses,
) -> HeldSummaries:
    """Compare the responses of a file's summaries with the log, which knows them by other names; a summary
    that has a response of which the log says nothing keeps the name it has.
    """
    kept = {item.id: item for item in evidence}
    found = HeldSummaries([], [])
    for row in rows:
        if not isinstance(row, BranchSummary | ContextSummary) or row.response_id is None:
            found.rows.append(row)
            continue
        state = marks.get((log_rows.kind_of(row), row.key))
        name = response_of(state) if isinstance(state, dict) else None
        item = kept.get(row.response_id)
        if item is not None and name is not None:
            item = replace(item, id=name)
        found.rows.append(replace(row, response_id=name or row.response_id))
        found.faults.extend(said.faults(row, item))
    return found


def without_sleeping(tree: Tree, marks: Mapping[tuple[str, str], object]) -> dict[tuple[str, str], object]:
    """The marks that the log told of, without the summaries whose nodes are undone: no file holds those."""
    return {
        (kind, key): state
        for (kind, key), state in marks.items()
        if kind not in SUMMARIES or key.partition("\0")[0] in tree.nodes
    }
