"""Variants of the coming context, side by side, assembled again whenever the context changes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.context.assembly import Assembled
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError, InvalidInput, LoomError
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.sent.economy import SentSummary
from loomapp.core.sent.inputs import Inputs, as_seen, assembled_from, inputs_of, seen_by
from loomapp.core.sent.replay import Variant, next_name, variant_between
from loomapp.core.sent.trial import (
    EconomyStage,
    Trial,
    all_stages,
    by_branches,
    stages_in,
    usable_summaries,
    with_stage,
    with_summary,
    without_stage,
)
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.registry import rules_for
from loomapp.session.background.background_work import IdleTimer
from loomapp.session.context.preview import Preview
from loomapp.session.document import Document
from loomapp.session.plan import refused

LONG_PATH = 2_000  # nodes: from here on only the chosen variant is assembled at once, the others at rest
REST_MS = 200
MOST = 6  # more variants than that are not compared


@dataclass(frozen=True, slots=True)
class Outcome:
    """A context as one variant would send it, or why it can send nothing. Without a variant: the tree as it
    is.

    The inputs name nodes of the tree ahead, see `Preview.ahead`; what is sent is told by those on the screen.

    Inputs and result are those of the agent with the least room. `by_agent`: where several are asked, the
    result of each, that one among them.
    """

    variant: Variant | None
    inputs: Inputs
    assembled: Assembled | None = None
    error: LoomError | None = None
    by_agent: tuple[tuple[Agent, Assembled | LoomError], ...] = ()
    trial: Trial | None = None  # as it is sent: with the summary that holds, and the tokens that were counted

    @property
    def result(self) -> Assembled | LoomError:
        """The context that is sent, or the error."""
        if self.assembled is not None:
            return self.assembled
        assert self.error is not None, "what sends nothing has an error"
        return self.error


class WhatIf(QObject):
    """Variants tried in the open tree. The first outcome is the tree as it is; the others are variants.

    They are differences from the tree as it is, so they follow what is typed and where one goes. Nothing here
    is saved, and nothing touches the tree.
    """

    changed = Signal()  # another outcome, another choice, begun or left

    def __init__(self, document: Document, preview: Preview) -> None:
        super().__init__(preview)
        self._document, self._preview = document, preview
        self._variants: tuple[Variant, ...] = ()
        self._seen: dict[str, tuple[Tree, int, object, Tree]] = {}  # by the name of the variant
        self.outcomes: tuple[Outcome, ...] = ()
        self.chosen = 0
        self._soon = IdleTimer(self)  # only on long paths
        self._soon.timeout.connect(self._assemble)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(REST_MS)
        self._later.timeout.connect(self.on_rest)
        preview.assembled.connect(self.on_context)
        preview.failed.connect(self.on_context)
        document.tree_opened.connect(lambda _: self.leave())
        document.tree_changed.connect(self.on_tree_changed)

    @property
    def is_on(self) -> bool:
        return bool(self._variants)

    @property
    def shown(self) -> Outcome | None:
        return self.outcomes[self.chosen] if self.chosen < len(self.outcomes) else None

    @property
    def variants(self) -> tuple[Variant, ...]:
        return self._variants

    def begin(self) -> None:
        """Try something: a first variant, which is as the tree is until it is changed."""
        if not self.is_on:
            self._preview.settle()  # one may be faster than the first context of a tree
            self.add()

    def add(self) -> None:
        """Add a variant that begins as the one that is looked at."""
        if len(self._variants) >= MOST:
            return
        shown = self.shown
        name = next_name(variant.name for variant in self._variants)
        alike = shown.variant if shown is not None and shown.variant is not None else Variant(name)
        self._variants = (*self._variants, replace(alike, name=name))
        self.chosen = len(self._variants)
        self._assemble()

    def remove(self, index: int) -> None:
        """Stop trying one, by its number among the outcomes; with the last one all is left."""
        self._variants = tuple(v for i, v in enumerate(self._variants, start=1) if i != index)
        if not self._variants:
            self.leave()
            return
        self.chosen = min(self.chosen, len(self._variants))
        self._assemble()

    def leave(self) -> None:
        """Try nothing any more."""
        was_on = self.is_on
        self._variants, self.outcomes, self.chosen = (), (), 0
        self._seen = {}
        self._soon.stop()
        self._later.stop()
        if was_on:
            self.changed.emit()

    def choose(self, index: int) -> None:
        if 0 <= index < len(self.outcomes) and index != self.chosen:
            self.chosen = index
            self._assemble()

    def put(self, wanted: Inputs) -> None:
        """The variant that is looked at is to send this instead; of the tree as it is a new one is made."""
        self.settle()
        if not self.outcomes:
            return
        if self.chosen == 0:
            self.add()
        today, place = self.outcomes[0].inputs, self.chosen - 1
        name, ahead = self._variants[place].name, self._preview.ahead
        changed = variant_between(name, ahead.named_inputs(today), ahead.named_inputs(wanted))
        self._variants = (*self._variants[:place], changed, *self._variants[place + 1 :])
        self._assemble()

    def switch(self, stage: EconomyStage, *, is_on: bool) -> None:
        """The variant that is looked at is to send with a stage of economy, or without it."""
        self.settle()
        shown, question = self.shown, self._preview.question
        if shown is None or question is None:
            return
        if not is_on:
            self.put(without_stage(shown.inputs, stage))
            return
        known = self._known_rules(question)
        if known is None:
            return
        wanted = with_stage(shown.inputs, stage, all_stages(self._preview.ahead.tree, question, known))
        if stage not in stages_in(wanted):  # of the conversation there is none, or none that holds
            wanted = self.by_branches() or wanted
        self.put(wanted)

    def summaries(self) -> tuple[SentSummary, ...]:
        """The context summaries that the variant that is looked at could use, the deepest first."""
        shown, question = self.shown, self._preview.question
        if shown is None or question is None:
            return ()
        try:
            return usable_summaries(self._preview.ahead.tree, shown.inputs, question)
        except LoomError:
            return ()

    def by_branches(self) -> Inputs | None:
        """Return the variant that is looked at as it would be with the summaries of the branches; None if
        they say nothing.
        """
        shown, question = self.shown, self._preview.question
        known = None if question is None else self._known_rules(question)
        if shown is None or question is None or known is None:
            return None
        return by_branches(self._preview.ahead.tree, shown.inputs, question, known)

    def _known_rules(self, question: AskedQuestion) -> ModelRules | None:
        """Return the rules of the model that is asked; None until endpoints that can't be read are mended."""
        try:
            return rules_for(question.agent.model_ref or "")
        except InvalidInput:
            return None

    def use_summary(self, summary: SentSummary | None) -> None:
        """The variant that is looked at is to send with this summary in use; None: with those of the
        branches.
        """
        self.settle()
        if self.shown is not None and summary is not None:
            self.put(with_summary(self.shown.inputs, summary))
        elif summary is None and (wanted := self.by_branches()) is not None:
            self.put(wanted)

    def on_context(self) -> None:
        """Assemble the variants again, for the context changed; on a long path in a turn of its own."""
        if self.is_on and len(self._document.path_ids) > LONG_PATH:
            self._soon.start()
        elif self.is_on:
            self._assemble()

    def settle(self) -> None:
        """Try at once what was to be tried when the event loop comes round."""
        if self._soon.isActive():
            self._assemble()

    def on_tree_changed(self, change: Change) -> None:
        """Follow a change: in a buffer what was written became versions of passages."""
        if self.is_on and self._document.tree.loom.mode == "buffer":
            self._variants = tuple(one.following(change.added_nodes()) for one in self._variants)

    def on_rest(self) -> None:
        """Assemble the other variants too, for nobody types."""
        self._assemble(all_of_them=True)

    def refuse(self, variants: Collection[Variant]) -> None:
        """Raises: LoomError if one of them can't be sent to one of the agents that are asked."""
        self._preview.settle()
        self.settle()
        if self._later.isActive():
            self.on_rest()
        for outcome in self.outcomes:
            if outcome.variant in variants:
                refusal = refused(outcome.by_agent)
                error = outcome.error if refusal is None else refusal[1]
                if error is not None:
                    raise error

    # Behind it

    def _today(self) -> Inputs | None:
        """Return today's inputs; None if there is no path to it. Raises: InvalidInput if endpoints can't be
        read.
        """
        question = self._preview.question
        if question is None:
            return None
        try:
            return inputs_of(self._preview.ahead.tree, question, rules_for(question.agent.model_ref or ""))
        except AssemblyError:
            return None

    def _assemble(self, *, all_of_them: bool = False) -> None:
        self._soon.stop()
        try:
            today = self._today()
        except InvalidInput as error:  # what is tried waits until the file is mended
            waiting = (replace(one, assembled=None, error=error, by_agent=()) for one in self.outcomes)
            self.outcomes = tuple(waiting)
            self.changed.emit()
            return
        if today is None:
            self.leave()
            return
        is_long = len(today.path) > LONG_PATH and not all_of_them
        before = {outcome.variant: outcome for outcome in self.outcomes}
        preview = self._preview
        found = [Outcome(None, today, preview.last, preview.error, self._as_it_is())]
        for number, variant in enumerate(self._variants, start=1):
            old = before.get(variant)
            if is_long and number != self.chosen and old is not None:
                found.append(old)
                self._later.start()
            else:
                found.append(self._outcome(variant, today))
        self.outcomes = tuple(found)
        self.changed.emit()

    def _as_it_is(self) -> tuple[tuple[Agent, Assembled | LoomError], ...]:
        outcomes = self._preview.outcomes
        return tuple((question.agent, result) for question, result in outcomes) if len(outcomes) > 1 else ()

    def _outcome(self, variant: Variant, today: Inputs) -> Outcome:
        preview = self._preview
        there = variant.following(preview.ahead.added)
        inputs = there.applied(preview.ahead.tree, today)
        assert preview.question is not None, "there are inputs of today"
        trial, result = self._tried(there, today, preview.question)
        by_agent: list[tuple[Agent, Assembled | LoomError]] = []
        for question, _ in preview.outcomes if len(preview.outcomes) > 1 else ():
            is_shown = question is preview.question
            by_agent.append((question.agent, result if is_shown else self._result_for(there, question)))
        if isinstance(result, LoomError):
            return Outcome(variant, inputs, error=result, by_agent=tuple(by_agent))
        return Outcome(variant, inputs, result, by_agent=tuple(by_agent), trial=trial)

    def _result_for(self, variant: Variant, question: AskedQuestion) -> Assembled | LoomError:
        """Assemble a variant for another of the agents: its differences hold for that too."""
        tree = self._preview.ahead.tree
        try:
            today = inputs_of(tree, question, rules_for(question.agent.model_ref or ""))
        except LoomError as error:
            return error
        return self._tried(variant, today, question)[1]

    def _tried(
        self, variant: Variant, today: Inputs, question: AskedQuestion
    ) -> tuple[Trial | None, Assembled | LoomError]:
        """Assemble what a variant sends to the agent of a question."""
        ahead, model_ref = self._preview.ahead, question.agent.model_ref or ""
        if self._preview.refusal is not None:
            return None, self._preview.refusal
        try:
            trial = variant.trial(ahead.tree, today, question, rules_for(model_ref))
            assembled = assembled_from(ahead.tree, trial.inputs, self._tree_seen(trial))
        except LoomError as error:
            return None, ahead.named_error(error)
        inputs, settled = self._document.counts.settled_trial(model_ref, trial.inputs, assembled)
        return replace(trial, inputs=inputs), ahead.named(settled)

    def _tree_seen(self, trial: Trial) -> Tree:
        """The tree as a variant sees it; the one of before while all that it rests on is the same."""
        name, inputs = trial.name, trial.inputs
        tree, rests_on = self._preview.ahead.tree, seen_by(inputs)
        old = self._seen.get(name)
        if old is not None and old[0] is tree and old[1] == tree.touches.mark and old[2] == rests_on:
            return old[3]
        seen = as_seen(tree, inputs)
        self._seen[name] = tree, tree.touches.mark, rests_on, seen
        return seen
