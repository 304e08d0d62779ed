"""Replays of past requests and variants of today's: what would be sent, and what makes the difference."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Literal, TypeAlias

from loomapp.core.context.assembly import Assembled
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.assemble_request import AskedQuestion, ModelCapability
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.piece_table import MERGED, PART
from loomapp.core.sent.inputs import Inputs, Model, assembled_from, within_reach
from loomapp.core.sent.record import Record, digesting
from loomapp.core.sent.trial import Trial, decided

Cause: TypeAlias = Literal[
    "excluded", "included", "pruned", "restored", "noteIncluded", "noteLeftOut", "path", "moved",
    "setting", "model", "assembler", "request",
]  # fmt: skip
SETTINGS = (
    "system_prompt",
    "system_context",
    "buffer_system_context",
    "truncation_strategy",
    "minimum_recent_nodes",
    "token_buffer",
    "instruction_scope",
    "dialogue_marker",
    "buffer_marker",
    "continue_text",
    "max_tokens",
    "economy",
    "awareness",
)
# Of a request's body: what carries the words, which are compared apart, and what only says how it is asked.
WORDS = frozenset({"messages", "system", "prompt", "suffix", "input", "instructions"})
MANNER = frozenset({"n", "stream", "stream_options", "prompt_cache_key", "store", "include"})
LONGEST_ANSWER = frozenset({"max_tokens", "max_completion_tokens", "max_output_tokens"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is another by now.

    `node_ids` for flags and paths; `name`, `then` and `now` for settings and what is known of the model, by
    the names of the fields of Inputs and Model, and for what a request says beside its words, by its keys.
    """

    cause: Cause
    node_ids: tuple[str, ...] = ()
    name: str = ""
    then: object = None
    now: object = None


@dataclass(frozen=True, slots=True)
class Replay:
    """A request of the past and the same today.

    `is_identical` compares what is sent, character by character. `differences` are all that is different of
    what decides it; they may come to the same text. `then` is None where what was sent cannot be assembled
    any more (a branch was moved, nodes are gone), `now` where nothing can be sent today, with `error`.
    """

    is_identical: bool
    differences: tuple[Difference, ...]
    then: Assembled | None
    now: Assembled | None
    error: AssemblyError | None = None


def replay(tree: Tree, record: Record, today: Inputs) -> Replay:
    """Assemble what a record was made of, and the inputs of today, and compare them."""
    steps = replaying(tree, record, today)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Replay = end.value
            return found


def replaying(tree: Tree, record: Record, today: Inputs) -> Generator[None, None, Replay]:
    """Replay a record, with a rest where a long path has taken its time. The tree must stay as it is
    meanwhile.
    """
    then = yield from _then(tree, record)
    yield
    now: Assembled | None = None
    error: AssemblyError | None = None
    try:
        now = assembled_from(tree, today)
    except AssemblyError as failed:
        error = failed
    yield
    is_identical = now is not None and (yield from digesting(now)) == record.digest
    found = tuple(differences(record, today))
    if not is_identical and now is not None and not found:
        # The same inputs give other words: they were put together by another version of the assembler.
        found = (*found, Difference("assembler"))
    return Replay(is_identical, found, then, now, error)


def _then(tree: Tree, record: Record) -> Generator[None, None, Assembled | None]:
    """Assemble the context of the record; None if it does not come to the same words any more."""
    if record.is_moved:
        return None
    try:
        then = assembled_from(tree, record.inputs)
    except AssemblyError:
        return None
    yield
    return then if (yield from digesting(then)) == record.digest else None


def differences(record: Record, now: Inputs) -> Iterator[Difference]:
    """Yield everything that differs between inputs: nodes, flags, settings, what is known of the model."""
    then = record.inputs
    if record.is_moved:
        yield Difference("moved")
    if then.path != now.path:
        old = frozenset(then.path)
        other = tuple(node_id for node_id in now.path if node_id not in old)
        yield Difference("path", other, "path", then.path, now.path)
    yield from _flags(then, now)
    for name in ("context_ids", "instruction_ids", "text", "suffix", "withheld", *SETTINGS):
        if getattr(then, name) != getattr(now, name):
            yield Difference("setting", name=name, then=getattr(then, name), now=getattr(now, name))
    for known in fields(Model):
        was, is_now = getattr(then.model, known.name), getattr(now.model, known.name)
        if was != is_now:
            yield Difference("model", name=known.name, then=was, now=is_now)


def _flags(then: Inputs, now: Inputs) -> Iterator[Difference]:
    pairs: tuple[tuple[Cause, frozenset[str]], ...] = (
        ("excluded", now.excluded - then.excluded),
        ("included", then.excluded - now.excluded),
        ("pruned", now.pruned - then.pruned),
        ("restored", then.pruned - now.pruned),
        ("noteIncluded", frozenset(now.included) - frozenset(then.included)),
        ("noteLeftOut", frozenset(then.included) - frozenset(now.included)),
    )
    for cause, node_ids in pairs:
        if node_ids:
            yield Difference(cause, tuple(sorted(node_ids)))


def beside_words(then: Mapping[str, object], now: Mapping[str, object]) -> Iterator[Difference]:
    """Give the differences of two request bodies beside their words: the model, its parameters."""
    for name in dict.fromkeys((*then, *now)):
        if name not in WORDS | MANNER and then.get(name) != now.get(name):
            yield Difference("request", name=name, then=then.get(name), now=now.get(name))


def undone(today: Inputs, record: Record, difference: Difference) -> Inputs:
    """The inputs of today with one difference taken back to what it was then."""
    then = record.inputs
    match difference.cause:
        case "excluded" | "included":
            return replace(today, excluded=then.excluded)
        case "pruned" | "restored":
            return replace(today, pruned=then.pruned)
        case "noteIncluded" | "noteLeftOut":
            return replace(today, included=then.included)
        case "path":
            return replace(today, path=then.path)
        case "setting":
            return replace(today, **{difference.name: getattr(then, difference.name)})
        case "model":
            known = {difference.name: getattr(then.model, difference.name)}
            return replace(today, model=replace(today.model, **known))
        case _:
            return today


@dataclass(frozen=True, slots=True)
class Variant:
    """Differences of a variant from today's inputs. `settings` are fields of Inputs by name, each with its
    value; each name once.
    """

    name: str
    left_out: frozenset[str] = frozenset()
    taken_in: frozenset[str] = frozenset()
    restored: frozenset[str] = frozenset()  # of what is pruned
    notes_on: tuple[str, ...] = ()
    notes_off: frozenset[str] = frozenset()
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def is_as_today(self) -> bool:
        return self == Variant(self.name)

    def following(self, added: Iterable[Node]) -> Variant:
        """Return the variant that also names the new versions and parts of passages that it names. A merged
        passage is not followed: it says another's words too.
        """
        found = self
        for node in added:
            if node.extra.get(PART) != MERGED:
                found = replace(
                    found,
                    left_out=_joined(found.left_out, node),
                    taken_in=_joined(found.taken_in, node),
                    restored=_joined(found.restored, node),
                )
        return found

    def applied(self, tree: Tree, today: Inputs) -> Inputs:
        """The inputs of today, otherwise. What is out of reach from there is left as it is."""
        named = self.left_out | self.taken_in | self.notes_off | frozenset(self.notes_on)
        here = within_reach(tree, today, named)
        notes = [node_id for node_id in today.included if node_id not in self.notes_off]
        notes += [node_id for node_id in self.notes_on if node_id in here and node_id not in notes]
        return replace(
            today,
            excluded=(today.excluded | (self.left_out & here)) - self.taken_in,
            pruned=today.pruned - self.restored,
            included=tuple(notes),
            **dict(self.settings),
        )

    def trial(self, tree: Tree, today: Inputs, question: AskedQuestion, known: ModelCapability) -> Trial:
        """Return the trial of it for the agent of a question; see `stages.decided`."""
        return Trial(self.name, decided(tree, today, self.applied(tree, today), question, known))


def _joined(named: frozenset[str], edit: Node) -> frozenset[str]:
    return named | {edit.id} if edit.edited_from in named else named


def variant_between(name: str, today: Inputs, wanted: Inputs) -> Variant:
    """The variant that makes what is wanted of today: flags, notes and settings. Others are as today."""
    return Variant(
        name,
        left_out=wanted.excluded - today.excluded,
        taken_in=today.excluded - wanted.excluded,
        restored=today.pruned - wanted.pruned,
        notes_on=tuple(node_id for node_id in wanted.included if node_id not in today.included),
        notes_off=frozenset(today.included) - frozenset(wanted.included),
        settings=tuple(
            (name, getattr(wanted, name))
            for name in SETTINGS
            if getattr(wanted, name) != getattr(today, name)
        ),
    )


def next_name(taken: Iterable[str]) -> str:
    """A, B, C … Z, then A2: the first that no variant has."""
    names = frozenset(taken)
    number = 0
    while True:
        letter, turn = chr(ord("A") + number % 26), number // 26
        name = letter if not turn else f"{letter}{turn + 1}"
        if name not in names:
            return name
        number += 1
