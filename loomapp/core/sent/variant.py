"""A variant: what is tried instead, told as the difference from today, so that it follows what is typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from loomapp.core.dataclass import dataclass
from loomapp.core.generation.assemble_request import AskedQuestion, ModelCapability
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.piece_table import MERGED, PART
from loomapp.core.sent.inputs import Inputs, within_reach
from loomapp.core.sent.replay import SETTINGS
from loomapp.core.sent.stages import decided
from loomapp.core.sent.trial import Trial


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
