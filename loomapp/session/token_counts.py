"""Token counts that are known of the models of an open tree: what providers counted, and tokenizers said."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from loomapp.core.context.assembly import Assembled
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError, GroveError
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.estimators import scaled_by_last
from loomapp.core.sent.inputs import Inputs
from loomapp.core.sent.record import digest_of, scaled_by_answer
from loomapp.core.text.token_counts import Scaled, TokenEstimator, Tokenized
from loomapp.store.grove.grove import Grove


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts of a model's own tokenizer: of texts, by their keys, and of a whole context, by its digest."""

    model_ref: str
    tokenized: Tokenized
    digest: str
    total: int


class TokenCounts:
    """The best that is known of how a model counts, remembered by text, and by answer."""

    def __init__(self, grove: Grove) -> None:
        self._grove = grove
        # By tree, answer and the model that is asked: copies of a tree have the same answers.
        self._scaled: dict[tuple[str, str, str], Scaled | None] = {}
        self._tokenized: dict[str, Tokenized] = {}  # by model
        self._totals: dict[tuple[str, str], int] = {}  # by model and digest
        self.count = 0  # how often a tokenizer counted

    def estimator(
        self, tree: Tree, at: str, selections: Mapping[str, str] | None, model_ref: str | None
    ) -> TokenEstimator:
        """Return the best estimator for what continues a node: the model's tokenizer, else what was counted
        last on the path to it, else the safe estimate.
        """
        tokenized = self._tokenized.get(model_ref or "")
        if tokenized is not None:
            return tokenized
        with suppress(AssemblyError):
            nodes = resolve(tree, at, selections).nodes
            asked = model_ref or ""
            return scaled_by_last(nodes, lambda node_id: self._counted(tree, node_id, asked))
        return Scaled()

    def take(self, counted: Counted) -> None:
        """Remember what was counted."""
        self.count += 1
        self._tokenized[counted.model_ref] = counted.tokenized
        self._totals[counted.model_ref, counted.digest] = counted.total

    def total_of(self, model_ref: str, assembled: Assembled) -> int | None:
        """Return the tokens of a whole context, if the model's tokenizer counted it."""
        return self._totals.get((model_ref, digest_of(assembled))) if self._totals else None

    def settled(self, question: AskedQuestion, assembled: Assembled) -> tuple[AskedQuestion, Assembled]:
        """Return a question and its context with the tokens that were counted for the whole, if they were."""
        estimator, settled = self._settled(question.agent.model_ref or "", question.estimator, assembled)
        return (question if settled is assembled else replace(question, estimator=estimator)), settled

    def settled_trial(self, model_ref: str, inputs: Inputs, assembled: Assembled) -> tuple[Inputs, Assembled]:
        """Return inputs that are tried and their context with the tokens that were counted for the whole."""
        estimator, settled = self._settled(model_ref, inputs.estimator, assembled)
        return (inputs if settled is assembled else replace(inputs, estimator=estimator)), settled

    def _settled(
        self, model_ref: str, estimator: TokenEstimator, assembled: Assembled
    ) -> tuple[TokenEstimator, Assembled]:
        total = self.total_of(model_ref, assembled) if isinstance(estimator, Tokenized) else None
        if total is None or not isinstance(estimator, Tokenized):
            return estimator, assembled
        report = replace(assembled.report, after_tokens=total)
        return replace(estimator, total=total), replace(assembled, report=report)

    def _counted(self, tree: Tree, node_id: str, model_ref: str) -> Scaled | None:
        key = tree.loom.id, node_id, model_ref
        if key not in self._scaled:
            self._scaled[key] = None
            with suppress(GroveError):  # the next look for others' changes tells of it
                evidence = self._grove.evidence(tree.loom.id, node_id)
                self._scaled[key] = scaled_by_answer(evidence, model_ref, node_id)
        return self._scaled[key]
