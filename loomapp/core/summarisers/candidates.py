"""Candidates of a summary: texts that models wrote for it, until one is taken and saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change
from loomapp.core.model.content import well_formed
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.summarisers import changes
from loomapp.core.summarisers.plan import SummaryPlan
from loomapp.core.text.diff import Compared, compare

OTHER_CONVERSATION = "The conversation was changed since these were written. Ask for candidates again."


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text as a model wrote it, and as it stands once a person edited it; and its response, if it is
    known.
    """

    written: str
    model: str | None
    response: Evidence | None
    text: str

    @property
    def is_edited(self) -> bool:
        return self.text.strip() != self.written.strip()


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates for one summary, in the order in which they came, and which of them is shown."""

    tree_id: str
    anchor_node_id: str
    covered_hash: str
    items: tuple[Candidate, ...] = ()
    shown: int = 0

    @property
    def key(self) -> str:
        """The key of the summary that they may replace."""
        return f"{self.anchor_node_id}\0{self.covered_hash}"

    @property
    def place(self) -> tuple[str, str]:
        """The tree, and the key of the summary in it."""
        return self.tree_id, self.key

    @property
    def current(self) -> Candidate | None:
        return self.items[self.shown] if self.shown < len(self.items) else None

    def with_one(self, candidate: Candidate) -> Candidates:
        """Return these and one more."""
        return replace(self, items=(*self.items, candidate))

    def turned(self, step: int) -> Candidates:
        """Return these with another one shown; there is none before the first or after the last."""
        return replace(self, shown=min(max(0, self.shown + step), max(0, len(self.items) - 1)))

    def edited(self, text: str) -> Candidates:
        """Return these with another text of the one that is shown."""
        items = list(self.items)
        items[self.shown] = replace(items[self.shown], text=text)
        return replace(self, items=tuple(items))


def differences(saved: str, candidates: Sequence[Candidate]) -> tuple[Compared, ...]:
    """Compare candidates with the summary that is saved, word by word; each is told by what that has not."""
    return compare([saved, *(one.text for one in candidates)])[1:]


def take(tree: Tree, plan: SummaryPlan, candidates: Candidates, pen: EditContext) -> Change | None:
    """Save the candidate that is shown, and nothing of the others; None if it is blank. As its model wrote it
    it keeps its response; edited it rests on none.

    Raises: InvalidInput if the plan covers something else than the candidates do.
    """
    taken = candidates.current
    if taken is None or not taken.text.strip():
        return None
    if (plan.anchor_node_id, plan.covered_hash) != (candidates.anchor_node_id, candidates.covered_hash):
        raise InvalidInput(OTHER_CONVERSATION)
    text, response = well_formed(taken.text.strip()), None if taken.is_edited else taken.response
    made = changes.summary_row(plan, text, origin="manual", model=taken.model, at=pen.now)
    if response is None:
        return changes.make(tree, made, pen)
    change = changes.make(tree, replace(made, response_id=response.id), pen)
    return replace(change, evidence=(response,))
