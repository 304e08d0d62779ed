"""Contexts known of an open tree as it is: what the preview shows is sent, and what is sent is shown."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.request import ContextRequest
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for, context_request
from loomapp.core.media import withheld
from loomapp.core.model.tree import Tree
from loomapp.providers.protocols.model_rules import ModelRules

MOST_KNOWN = 8  # of one state of a tree: of as many models as one asks at once


class KnownContexts:
    """Contexts of the tree that was asked about last, in the state in which it was then.

    They belong to who has the tree open, not to the tree: a context knows its tree, and neither would go.
    """

    def __init__(self) -> None:
        self._state: object = None
        self._found: list[tuple[ContextRequest, ModelRules, Assembled]] = []

    def forget(self) -> None:
        """Let go of the contexts, and of their tree: it is left."""
        self._state, self._found = None, []

    def of(self, tree: Tree, question: AskedQuestion, rules: ModelRules) -> Assembled:
        """Return the context of a question, assembled if it was not. Raises: AssemblyError."""
        summaries = tuple(tree.branch_summaries.values()), tuple(tree.context_summaries.values())
        seen = tree.path.leaf_id, tuple(tree.agent_memory.values())  # by agents that see the tree
        state = tree, tree.loom, tree.touches.mark, tree.included_annotations, summaries, seen
        if state != self._state:
            self._state, self._found = state, []
        wanted = _request(tree, question, rules)
        for request, known_rules, known in self._found:
            if request == wanted and known_rules == rules and _holds(known, question):
                return known
        assembled = assembled_for(tree, question, rules)
        self._found = [*self._found[1 - MOST_KNOWN :], (wanted, rules, assembled)]
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
