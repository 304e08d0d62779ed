"""A plan: what would be sent to one agent, assembled by what is known of its model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loomapp.core.asking import Question, assembled_for, request_for
from loomapp.core.context.assembly import Assembled
from loomapp.core.estimate import Estimate, Share
from loomapp.core.generation import Request
from loomapp.core.tree import Tree
from loomapp.providers.model_rules import ModelRules
from loomapp.providers.registry import rules_for


@dataclass(frozen=True, slots=True)
class Plan:
    """One agent's question, and what became of it."""

    question: Question
    rules: ModelRules
    assembled: Assembled

    @property
    def free_tokens(self) -> int:
        """What is left of the model's window; less than nothing if it is too much."""
        return self.assembled.report.available - self.assembled.report.after_tokens

    def request(self, tree: Tree, number: int) -> Request:
        """What is sent for so many answers."""
        return request_for(self.assembled, self.question, number, cache_key=tree.loom.id)

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


def estimate_of(plans: Iterable[Plan], number: int) -> Estimate:
    """What so many answers of each take together."""
    return Estimate(tuple(plan.share(number) for plan in plans))
