"""The change log entry by entry: its chain and head, a chain begun anew, nodes that other programs added."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from typing import Self, cast

from sqlalchemy import Connection, bindparam, func, literal, select, update
from sqlalchemy.exc import NoResultFound

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.undo import UndoEntry
from loomapp.core.json_values import Json
from loomapp.core.model import log_chain
from loomapp.core.model.change import BY_USER
from loomapp.core.model.hashes import is_same_json
from loomapp.core.model.log_chain import LogBody, LogFacts
from loomapp.core.times import Milliseconds
from loomapp.store.rows import change_log
from loomapp.store.rows.change_log import Logged
from loomapp.store.rows.grove_rows import AGENT, GONE, SEALED, STATES
from loomapp.store.rows.log_rows import NODE, LoggedRow
from loomapp.store.schema import change_log as log
from loomapp.store.schema import trees
from loomapp.store.statements import Statement, moment


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The newest link of a chain, how many there are, and the entry from which on each was sealed as it was
    made: those before it were sealed all at once, as they were found.
    """

    link: str
    links: int
    sealed_from: int


@dataclass(frozen=True, slots=True)
class ChainLink:
    """An entry of the log as it stands in the file."""

    facts: LogFacts
    body: LogBody
    done: bool
    abandoned: bool
    link: str

    @classmethod
    def of(cls, before: str, facts: LogFacts, body: LogBody) -> Self:
        """An entry as it follows the link before it."""
        return cls(facts, body, done=True, abandoned=False, link=log_chain.link_of(before, facts, body))

    @property
    def name(self) -> str:
        """Return what a person is told it is."""
        return f"entry {self.facts.sequence} of the change log (“{self.facts.label}”, by {self.facts.by})"

    def logged(self, rows_of: Callable[[int], list[LoggedRow]]) -> Logged:
        """The entry as the rest of the store knows it; see `change_log.logged`."""
        facts = self.facts
        moved = facts.undoes, facts.redoes
        entry = UndoEntry(
            facts.sequence, facts.label, facts.by, facts.undoable, self.done, self.abandoned, *moved
        )
        return change_log.logged(entry, facts.at, self.body.rows, log_chain.rest_of(self.body), rows_of)


_FACTS = (
    log.c.sequence, log.c.tree, log.c.label, log.c.made_by, log.c.made_at, log.c.undoable, log.c.undoes,
    log.c.redoes,
)  # fmt: skip
_STATE = (log.c.body, log.c.done, log.c.abandoned)
_READ = Statement(lambda: select(*_FACTS, *_STATE, log.c.link).order_by(log.c.sequence))
_READ_UNSEALED = Statement(
    lambda: select(*_FACTS, *_STATE, literal("").label("link")).order_by(log.c.sequence)
)


def read_links(connection: Connection, *, is_sealed: bool = True) -> Iterator[ChainLink]:
    """Yield every entry of a log, oldest first, one in memory at a time; no links where it is no
    chain yet.
    """
    with closing((_READ if is_sealed else _READ_UNSEALED).run(connection, {})) as rows:
        for row in rows:
            told, (body, done, abandoned, link) = row[:8], row[8:]
            facts = LogFacts(*told)._replace(undoable=bool(told[5]))
            yield ChainLink(facts, log_chain.body_as_found(body), bool(done), bool(abandoned), str(link))


def read_head(connection: Connection) -> ChainHead | None:
    """The head of a sealed grove as the file says it, unproved; None if its log is empty."""
    last = connection.execute(
        select(log.c.link).order_by(log.c.sequence.desc()).limit(1)
    ).scalar_one_or_none()
    if last is None:
        return None
    count, first = connection.execute(select(func.count(), func.min(log.c.sequence))).one()
    resealed = select(func.max(log.c.sequence)).where(log.c.tree.is_(None), log.c.label == RESEALED)
    return ChainHead(last, count, connection.execute(resealed).scalar_one() or first)


RESEALED = "Sealed"  # the label of an entry that seals what was there before it
REPAIRED = "Repaired"  # the label of an entry that says what agents and settings a repair found


def changes_since(connection: Connection, head: str, sealed_from: int) -> int | None:
    """Return how many entries came after the one whose link this is; None if there is none such, or a chain
    that was begun anew after it.
    """
    of = select(log.c.sequence).where(log.c.link == head, log.c.sequence >= sealed_from)
    sequence = connection.execute(of).scalars().first()
    if sequence is None:
        return None
    return connection.execute(select(func.count()).where(log.c.sequence > sequence)).scalar_one()


@dataclass(slots=True)
class ChainReplay:
    """The word of the chain while it is read: whether each entry is as it was sealed, which steps are done,
    and what became of agents, settings and listings.
    """

    faults: list[str] = field(default_factory=list)
    states: dict[str, dict[str, Json]] = field(default_factory=lambda: {kind: {} for kind in STATES})
    gone: dict[str, set[str]] = field(default_factory=dict)  # tree id: its nodes that were deleted for good
    agents: dict[str, set[tuple[str, str]]] = field(default_factory=dict)  # model and name, all there were
    kinds: dict[str, tuple[object, bool]] = field(
        default_factory=dict
    )  # of each agent: type, and owner or not
    emptied: list[tuple[ChainLink, object]] = field(
        default_factory=list
    )  # rows of which nothing is left but digests
    sealed_from: int = 0
    links: int = 0
    link: str = log_chain.START
    _told_of_grove: bool = False  # whether an entry of no tree came already
    _undone: dict[int | None, set[int]] = field(default_factory=dict)
    _abandoned: set[int] = field(default_factory=set)
    _steps: list[ChainLink] = field(default_factory=list)

    def take(self, link: ChainLink) -> None:
        before = self.link
        if link.link != log_chain.link_of(before, link.facts, link.body):
            self.faults.append(f"{link.name} is not as it was sealed")
        self.link, self.links = link.link, self.links + 1
        self.sealed_from = self.sealed_from or link.facts.sequence
        self._move_steps(link)
        is_believed = link.facts.tree is None and self._may_seal(before, link)
        for row in link.body.rows:
            if isinstance(row, dict):
                self.emptied.append((self._steps[-1], row))
            elif is_believed:
                self._take_row(link, row)
        self._told_of_grove = self._told_of_grove or link.facts.tree is None

    def _may_seal(self, before: str, link: ChainLink) -> bool:
        """Tell whether an entry seals nothing anew, or is the first that is of no tree, as in a grove that
        had no chain before, or names another head than the one before it, as after a repair of a broken
        chain.
        """
        heads = [row[2]["after"] for row in link.body.rows if isinstance(row, list) and row[0] == SEALED]
        is_due = all(head != before if head else not self._told_of_grove for head in heads)
        if not is_due:
            self.faults.append(f"{link.name} seals anew what was sealed already")
        return is_due

    def skip(self, entry: str) -> None:
        """Take in an entry of which nothing but the digest is known."""
        self.link, self.links = log_chain.link(self.link, entry), self.links + 1

    def _move_steps(self, link: ChainLink) -> None:
        facts = link.facts
        undone = self._undone.setdefault(facts.tree, set())
        if facts.undoes is not None:
            undone.add(facts.undoes)
        elif facts.redoes is not None:
            undone.discard(facts.redoes)
        elif facts.undoable:
            self._abandoned |= undone
            undone.clear()
        self._steps.append(replace(link, body=_NO_BODY))

    def _take_row(self, link: ChainLink, row: object) -> None:
        if not isinstance(row, list) or len(row) != 3:
            return
        kind, before, after = row
        if kind == SEALED:
            self.sealed_from = link.facts.sequence
            self.states = {kind: {} for kind in STATES}
            self.kinds = {}
        elif kind == GONE:
            self.gone.setdefault(after["tree"], set()).update(after["nodes"])
        elif kind in self.states:
            if kind == AGENT:
                self._name_agents(before, after)
                self._keep_kind(link, after)
            self._change(self.states[kind], before, after)

    def _name_agents(self, *states: Json | None) -> None:
        for state in states:
            if state is not None:
                name = str(state.get("modelRef") or ""), str(state.get("name") or "")
                self.agents.setdefault(_name(state), set()).add(name)

    def _keep_kind(self, link: ChainLink, state: Json | None) -> None:
        """Take note of what an agent came as: it stays a person or a model, and the owner or not, and is
        never taken away. A repair may have put another in the place of one that was lost.
        """
        if state is None:
            if link.facts.label != REPAIRED:
                self.faults.append(f"{link.name} takes an agent away, which no change does")
            return
        name, kind = _name(state), (state.get("type"), bool(state.get("owner")))
        if link.facts.label == REPAIRED:
            self.kinds[name] = kind
        elif self.kinds.setdefault(name, kind) != kind:
            what = "has another type, or is the owner otherwise than before, which no change makes it"
            self.faults.append(f"{link.name} says that the agent {name} {what}")

    def _change(self, states: dict[str, Json], before: Json | None, after: Json | None) -> None:
        if after is not None:
            states[_name(after)] = after
        elif before is not None:
            states.pop(_name(before), None)

    def step_faults(self) -> Iterator[str]:
        """Steps that the file says are undone, done or abandoned while later entries say otherwise."""
        for link, *_ in self._strange_steps():
            yield f"{link.name} is not undone, done or given up as the entries after it say"

    def settle(self, connection: Connection) -> None:
        """Let the file say of each step what the entries after it say."""
        for link, is_done, is_abandoned in self._strange_steps():
            where = log.c.sequence == link.facts.sequence
            connection.execute(update(log).where(where).values(done=is_done, abandoned=is_abandoned))

    def _strange_steps(self) -> Iterator[tuple[ChainLink, bool, bool]]:
        undone = {sequence for steps in self._undone.values() for sequence in steps} | self._abandoned
        for link in self._steps:
            sequence = link.facts.sequence
            should = sequence not in undone, sequence in self._abandoned
            if (link.done, link.abandoned) != should:
                yield link, *should

    def emptied_faults(self, tree_ids: Mapping[int | None, str]) -> Iterator[str]:
        """Rows that were emptied although nothing that they are about was deleted for good."""
        for link, row in self.emptied:
            if not names_about(row) & self.gone.get(tree_ids.get(link.facts.tree, ""), set()):
                yield f"{link.name}: a row was emptied, of which nothing was deleted for good"


def names_about(row: object) -> frozenset[str]:
    """The nodes that a row of a tree is about."""
    kind, *names = cast("list[str]", json.loads(log_chain.key_of(row)))
    return frozenset(names) if kind in _ABOUT_NODES else frozenset()


_ABOUT_NODES = ("node", "edge", "branchSummary", "contextSummary")
_NO_BODY = LogBody("", (), "", "")


def _name(state: Json) -> str:
    return str(next(iter(state.values())))  # what it is about stands first, see grove_rows


def state_faults(connection: Connection, following: ChainReplay) -> Iterator[str]:
    """Agents, settings and listings that are not what the chain says."""
    for kind, read in STATES.items():
        here, said = read(connection), following.states[kind]
        for name in dict.fromkeys((*here, *said)):
            if not is_same_json(here.get(name), said.get(name)):
                yield f"{_WORDS[kind].format(name)} {_difference(here.get(name), said.get(name))}"
        if kind in _ORDERED and here.keys() == said.keys() and list(here) != list(said):
            yield "the order of the agents is not what the change log says"


_WORDS = {"agent": "the agent {0}", "setting": "the setting {0}", "file": "the agents listed by the tree {0}"}
_ORDERED = {"agent"}


def _difference(here: Json | None, said: Json | None) -> str:
    if here is None:
        return "is not there any more"
    if said is None:
        return "is not known to the change log"
    every = dict.fromkeys((*here, *said))
    names = [name for name in every if not is_same_json(here.get(name), said.get(name))]
    return f"is not what the change log says ({', '.join(names)})"


def is_whole(connection: Connection) -> bool:
    """Tell whether every entry is as it was sealed, and agents, settings and listings are what the chain
    says.
    """
    following = ChainReplay()
    for link in read_links(connection):
        following.take(link)
    strange = (*following.faults, *following.step_faults(), *state_faults(connection, following))
    return bool(following.links) and not strange


LONGEST_TOLD = 1_000_000  # characters of an entry


@dataclass(frozen=True, slots=True)
class ForeignWrite:
    """An entry that another program made in a tree: who, when, and the ids of nodes that came and went."""

    tree_id: str
    by: str
    at: Milliseconds
    added: tuple[str, ...]
    removed: tuple[str, ...]


def foreign_writes(
    connection: Connection, after: int, but: int = 0, own: Collection[int] = ()
) -> Iterator[ForeignWrite]:
    """Yield what was written `after` an entry into all trees `but` one, oldest first. Entries of this
    program's `own`, what the user did (imports are) and what is very long are left out; so are those that
    cannot be read, which verification names.
    """
    values = {"after": after, "but": but, "longest": LONGEST_TOLD, "user": BY_USER}
    with closing(_ELSEWHERE.run(connection, values)) as entries:
        for tree_id, *logged in entries:
            if logged[0] in own:
                continue
            try:
                told = change_log.entry_of(connection, logged)
                rows, by = told.rows, str(told.entry.by)
                yield ForeignWrite(tree_id, by, moment(told.at), _moved(rows, 1, 2), _moved(rows, 2, 1))
            except _BROKEN:
                continue


# What an entry raises that another hand has changed.
_BROKEN = (ValueError, TypeError, LookupError, AttributeError, RecursionError, NoResultFound)


def _moved(rows: Sequence[LoggedRow], before: int, after: int) -> tuple[str, ...]:
    """The nodes of which a state is there at the second of two places and not at the first."""
    return tuple([str(r[3]) for r in rows if r[0] == NODE and r[before] is None and r[after] is not None])


_ELSEWHERE = Statement(
    lambda: (
        select(trees.c.tree_id, *change_log.LOGGED)
        .join(trees, trees.c.id == log.c.tree)
        .where(log.c.sequence > bindparam("after"), log.c.tree != bindparam("but"))
        .where(log.c.made_by != bindparam("user"))
        .where(func.length(log.c.body) <= bindparam("longest"))
        .order_by(log.c.sequence)
    )
)
