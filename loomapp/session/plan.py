"""A plan: what would be sent to one agent, by what is known of its model and of the open tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol, TypeAlias

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError, GroveError, LargeAsk, LoomError, OverLimit
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for, context_request
from loomapp.core.generation.cost import AgentShare, Estimate
from loomapp.core.generation.provider import Request
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import withheld
from loomapp.core.model.economy_settings import AUTO, SUMMARIES
from loomapp.core.model.entities import Mode
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.estimators import scaled_by_last
from loomapp.core.sent.inputs import Inputs, assembled_from
from loomapp.core.sent.record import digest_of, recorded_request, scaled_by_answer
from loomapp.core.sent.trial import Trial
from loomapp.core.sentences import sentence, worded
from loomapp.core.text.token_counts import Scaled, TokenEstimator, Tokenized
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.registry import rules_for
from loomapp.store.grove.grove import Grove


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts of a model's own tokenizer: of texts, by their keys, and of a whole context, by its digest."""

    model_ref: str
    tokenized: Tokenized
    digest: str
    total: int
    mode: Mode = "dialogue"  # of the tree: a buffer goes out as one text, with nothing around its parts


class TokenCounts:
    """The best that is known of how a model counts, remembered by text, and by answer."""

    def __init__(self, grove: Grove) -> None:
        self._grove = grove
        # By tree, answer and the model that is asked: copies of a tree have the same answers.
        self._scaled: dict[tuple[str, str, str], Scaled | None] = {}
        self._tokenized: dict[tuple[str, Mode], Tokenized] = {}  # by model, and how a tree is sent
        self._totals: dict[tuple[str, str], int] = {}  # by model and digest
        self.count = 0  # how often a tokenizer counted

    def estimator(
        self, tree: Tree, at: str, selections: Mapping[str, str] | None, model_ref: str | None
    ) -> TokenEstimator:
        """Return the best estimator for what continues a node: the model's tokenizer, else what was counted
        last on the path to it, else the safe estimate.
        """
        tokenized = self._tokenized.get((model_ref or "", tree.loom.mode))
        if tokenized is not None:
            return tokenized
        with suppress(AssemblyError):
            nodes = resolve(tree, at, selections).nodes
            asked = model_ref or ""
            return scaled_by_last(nodes, lambda node_id: self._counted(tree, node_id, asked))
        return Scaled()

    def take(self, counted: Counted) -> None:
        self.count += 1
        self._tokenized[counted.model_ref, counted.mode] = counted.tokenized
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


MOST_KNOWN = 8  # of one state of a tree: of as many models as one asks at once


class KnownContexts:
    """Contexts of the tree that was asked about last, in the state in which it was then.

    They belong to who has the tree open, not to the tree: a context knows its tree, and neither would go.
    """

    def __init__(self) -> None:
        self._state: object = None
        self._found: list[tuple[ContextRequest, ModelRules, str, Assembled]] = []

    def forget(self) -> None:
        """Let go of the contexts, and of their tree: it is left."""
        self._state, self._found = None, []

    def of(self, tree: Tree, question: AskedQuestion, rules: ModelRules) -> Assembled:
        """Return the context of a question, assembled if it was not. Raises: AssemblyError."""
        summaries = tuple(tree.branch_summaries.values()), tuple(tree.context_summaries.values())
        memory = tuple(tree.agent_memory.values())
        state = tree, tree.loom, tree.touches.mark, tree.included_annotations, summaries, memory
        if state != self._state:
            self._state, self._found = state, []
        wanted = _request(tree, question, rules)
        leaf_id = "" if question.aware is None else tree.path.leaf_id  # is told to who sees the tree
        for request, known_rules, known_leaf_id, known in self._found:
            is_same = request == wanted and known_rules == rules and known_leaf_id == leaf_id
            if is_same and _holds(known, question):
                return known
        assembled = assembled_for(tree, question, rules)
        self._found = [*self._found[1 - MOST_KNOWN :], (wanted, rules, leaf_id, assembled)]
        return assembled


def _request(tree: Tree, question: AskedQuestion, rules: ModelRules) -> ContextRequest:
    """Return all that decides a context, so that two questions that come to the same are equal."""
    request = context_request(tree, question, rules)
    choices = tree.path.selections if request.selections is None else request.selections
    commits = request.commits_buffer and bool(request.working_buffer)
    return replace(request, selections=choices, commits_buffer=commits)


def _holds(assembled: Assembled, question: AskedQuestion) -> bool:
    """True while its images can go out as they did; files come and go without a word from the tree."""
    is_any_named = bool(assembled.fitted.passages.described)
    return not is_any_named and not withheld(assembled.images, question.media)


@dataclass(frozen=True, slots=True)
class Plan:
    """One agent's question, and what became of it."""

    question: AskedQuestion
    rules: ModelRules
    assembled: Assembled
    trial: Trial | None = None  # if something else is tried than what the tree says

    @property
    def free_tokens(self) -> int:
        """Tokens left in the model's window; less than nothing if the context is too long."""
        return self.assembled.report.available - self.assembled.report.after_tokens

    @property
    def variant(self) -> str | None:
        return None if self.trial is None else self.trial.name

    def request(self, tree: Tree, number: int) -> Request:
        return recorded_request(tree, self.question, self.rules, self.assembled, number, trial=self.trial)

    def share(self, number: int) -> AgentShare:
        """Return the tokens and calls that so many answers take."""
        agent, report = self.question.agent, self.assembled.report
        return AgentShare(
            agent_name=agent.name,
            model_ref=agent.model_ref or "",
            answers=number,
            calls=-(-number // max(1, self.rules.max_choices)),
            input_tokens=report.after_tokens,
            room_tokens=agent.configuration.max_tokens or (report.window - report.available),
        )


class Known(Protocol):
    """All that is known of an open tree's contexts; a document has it."""

    contexts: KnownContexts
    counts: TokenCounts


def planned(tree: Tree, question: AskedQuestion, known: Known) -> Plan:
    """Plan what is sent for a question. Raises: AssemblyError if nothing can be."""
    rules = rules_for(question.agent.model_ref or "")
    assembled = known.contexts.of(tree, question, rules)
    asked, settled = known.counts.settled(question, assembled)
    return Plan(asked, rules, settled)


Outcomes: TypeAlias = Sequence[tuple[AskedQuestion, Plan | LoomError]]


def outcomes_of(
    tree: Tree, questions: Iterable[AskedQuestion], known: Known
) -> tuple[tuple[AskedQuestion, Plan | LoomError], ...]:
    """Plan what is sent for each question; a question for which nothing can be sent has its error."""
    found: list[tuple[AskedQuestion, Plan | LoomError]] = []
    for question in questions:
        try:
            found.append((question, planned(tree, question, known)))
        except LoomError as error:
            found.append((question, error))
    return tuple(found)


def refused(results: Sequence[tuple[Agent, object]]) -> tuple[int, LoomError] | None:
    """Find the first question for which nothing can be sent, by its place, and the reason; None if all can be
    asked. Of several agents the error names the one that it is about, unless it is the same for each.
    """
    errors = [(place, why) for place, (_, why) in enumerate(results) if isinstance(why, LoomError)]
    if not errors:
        return None
    place, error = errors[0]
    if len(errors) == len(results) and len({why.message for _, why in errors}) == 1:
        return place, error
    name = results[place][0].name
    return place, error.reworded(worded("{name}: {why}", name=name, why=sentence(error.message)))


def none_planned(outcomes: Outcomes) -> tuple[int, LoomError] | None:
    """Find what `refused` finds, where nothing can be sent for any question; None if one can be asked."""
    if any(isinstance(found, Plan) for _, found in outcomes):
        return None
    return refused([(question.agent, found) for question, found in outcomes])


def left_out(outcomes: Outcomes) -> tuple[tuple[Agent, LoomError], ...]:
    """Return the agents to which nothing can be sent while others are asked, and why."""
    if none_planned(outcomes) is not None:
        return ()
    return tuple((question.agent, why) for question, why in outcomes if isinstance(why, LoomError))


def plans_of(outcomes: Outcomes) -> list[Plan]:
    """Return the plans for all that can be asked.

    Raises: LoomError, as `refused` words it, if nothing can be sent for any question.
    """
    refusal = none_planned(outcomes)
    if refusal is not None:
        raise refusal[1]
    return [plan for _, plan in outcomes if isinstance(plan, Plan)]


def tried(tree: Tree, question: AskedQuestion, trial: Trial, counts: TokenCounts) -> Plan:
    """Plan what a trial sends to the question's agent. Raises: AssemblyError if nothing can be."""
    agent, inputs = question.agent, trial.inputs
    rules = rules_for(agent.model_ref or "")
    otherwise = replace(agent.configuration, system_prompt=inputs.system_prompt, max_tokens=inputs.max_tokens)
    asked = replace(question, agent=replace(agent, configuration=otherwise))
    inputs, assembled = counts.settled_trial(agent.model_ref or "", inputs, assembled_from(tree, inputs))
    return Plan(asked, rules, assembled, replace(trial, inputs=inputs))


def by_strategy(
    tree: Tree, question: AskedQuestion, known: Assembled | None = None
) -> Iterator[tuple[str, Assembled | LoomError]]:
    """Assemble a question by each strategy, by name, one at a time as they are asked for; where branches have
    summaries, by these as well. `known` is the context of the question itself.
    """
    own = question.overrides.economy
    by_chain, auto = replace(own, assembler=SUMMARIES), replace(own, assembler=AUTO)
    ways = [
        (name, replace(question.overrides, truncation_strategy=name, economy=auto)) for name in STRATEGIES
    ]
    if tree.branch_summaries:
        ways.append((SUMMARIES, replace(question.overrides, economy=by_chain)))
    for name, overrides in ways:
        if known is not None and way_of(known) == name:
            yield name, known
            continue
        try:
            rules = rules_for(question.agent.model_ref or "")
            yield name, assembled_for(tree, replace(question, overrides=overrides), rules)
        except LoomError as error:
            yield name, error


def way_of(assembled: Assembled) -> str:
    """The strategy by which a context was cut, or `summaries` where those of branches stand in for it."""
    return assembled.report.strategy if assembled.report.economy.threads is None else SUMMARIES


def estimate_of(plans: Iterable[Plan], number: int) -> Estimate:
    return Estimate(tuple(plan.share(number) for plan in plans))


def refuse_over_limit(plans: Iterable[Plan]) -> None:
    """Raises: OverLimit if what is left of one of them is still too much."""
    for plan in plans:
        report, name = plan.assembled.report, plan.question.agent.name
        if report.over_limit:
            over = report.after_tokens - report.available
            raise OverLimit(
                worded(
                    "The newest message alone is too long for {name} by {over:,} tokens.",
                    name=name,
                    over=over,
                )
            )


def refuse_large(estimate: Estimate, ask_above: int) -> None:
    """Raises: LargeAsk if all of it may come to more than so many tokens."""
    if estimate.most_tokens > ask_above:
        calls = worded("1 call") if estimate.calls == 1 else worded("{count} calls", count=estimate.calls)
        raise LargeAsk(
            worded(
                "{answers} answers in {calls}: about {sent_tokens:,} tokens are sent, and with the answers "
                "it may come to {most_tokens:,}.",
                answers=estimate.answers,
                calls=calls,
                sent_tokens=estimate.sent_tokens,
                most_tokens=estimate.most_tokens,
            )
        )
