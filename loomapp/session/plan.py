"""A plan: what would be sent to one agent, assembled by what is known of its model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from loomapp.core.asking import Question, assembled_for
from loomapp.core.context.assembly import Assembled
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.errors import LoomError
from loomapp.core.estimate import Estimate, Share
from loomapp.core.generation import Request
from loomapp.core.sent.inputs import assembled_from
from loomapp.core.sent.record import recorded_request
from loomapp.core.sent.trial import Trial
from loomapp.core.tree import Tree
from loomapp.providers.model_rules import ModelRules
from loomapp.providers.registry import rules_for


@dataclass(frozen=True, slots=True)
class Plan:
    """One agent's question, and what became of it."""

    question: Question
    rules: ModelRules
    assembled: Assembled
    trial: Trial | None = None  # if something else is tried than what the tree says

    @property
    def free_tokens(self) -> int:
        """What is left of the model's window; less than nothing if it is too much."""
        return self.assembled.report.available - self.assembled.report.after_tokens

    def request(self, tree: Tree, number: int) -> Request:
        """What is sent for so many answers."""
        return recorded_request(tree, self.question, self.rules, self.assembled, number, trial=self.trial)

    def share(self, number: int) -> Share:
        """What so many answers take."""
        agent, report = self.question.agent, self.assembled.report
        return Share(
            agent_name=agent.name,
            model_ref=agent.model_ref or "",
            answers=number,
            calls=-(-number // max(1, self.rules.max_choices)),
            input_tokens=report.after_tokens,
            room_tokens=agent.configuration.max_tokens or (report.window - report.available),
        )


def planned(tree: Tree, question: Question) -> Plan:
    """What would be sent. Raises: AssemblyError if nothing can be."""
    rules = rules_for(question.agent.model_ref or "")
    return Plan(question, rules, assembled_for(tree, question, rules))


def tried(tree: Tree, question: Question, trial: Trial) -> Plan:
    """What a trial would send to the question's agent. Raises: AssemblyError if nothing can be."""
    rules = rules_for(question.agent.model_ref or "")
    return Plan(question, rules, assembled_from(tree, trial.inputs), trial)


def by_strategy(tree: Tree, question: Question) -> dict[str, Assembled | LoomError]:
    """What each strategy would make of a question, by name."""
    outcomes: dict[str, Assembled | LoomError] = {}
    for name in STRATEGIES:
        overrides = replace(question.overrides, truncation_strategy=name)
        try:
            outcomes[name] = planned(tree, replace(question, overrides=overrides)).assembled
        except LoomError as error:
            outcomes[name] = error
    return outcomes


def estimate_of(plans: Iterable[Plan], number: int) -> Estimate:
    """What so many answers of each take together."""
    return Estimate(tuple(plan.share(number) for plan in plans))
