"""The preview of the coming context: assembled again whenever the tree, the place or the composer changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.awareness import aware_agent
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, fills_in
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import becomes_node
from loomapp.core.model.entities import LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.uncommitted_tree import UncommittedTree, once_saved
from loomapp.providers.registry import rules_for
from loomapp.session.background.background_work import IdleTimer
from loomapp.session.context.pending_sources import Attachments, PendingSources
from loomapp.session.document import Document
from loomapp.session.plan import Plan, by_strategy, left_out, none_planned, outcomes_of

LATEST_MS = 500  # until the first context, where the window is not seen before
LONG_PATH = 2_000  # nodes: from here on it is assembled in one turn, and told in the next


@dataclass(frozen=True, slots=True)
class ContextResult:
    """The outcome of one assembly that is still to be told, with the state of the tree it was made of."""

    tree: Tree
    state: tuple[LoomTree, int]
    ahead: UncommittedTree
    refusal: LoomError | None
    questions: Sequence[AskedQuestion]
    outcomes: Sequence[tuple[AskedQuestion, Plan | LoomError]]


def _free_tokens(plan: Plan) -> int:
    return plan.free_tokens


def nothing_ahead() -> UncommittedTree | None:
    """Return None: nothing is written but in the composer."""
    return None


def no_edit() -> tuple[str, str] | None:
    """Return None: no message is being edited."""
    return None


class Preview(QObject):
    """Keeps the context of the coming generation; changes of one event-loop turn are assembled once.

    All that it tells of is called by the nodes on the screen. `look_ahead` tells what is continued where a
    text itself is written in; it may raise LoomError where nothing can be continued.
    """

    assembled = Signal(object)  # Assembled
    failed = Signal(object)  # LoomError: AssemblyError, or endpoints that can't be read

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._composer_text = ""
        self.look_ahead: Callable[[], UncommittedTree | None] = nothing_ahead
        self.look_at_edit: Callable[[], tuple[str, str] | None] = no_edit  # node id and its text as typed
        self.ahead = UncommittedTree(
            document.tree, document.current_id
        )  # the tree that `question` is asked of
        self.pending = PendingSources(document, self)
        self.attachments = Attachments(document, self)
        self.attachments.changed.connect(self.refresh)
        document.calls.ticked.connect(self.refresh)
        document.calls.came.connect(self.refresh)
        self.last: Assembled | None = None
        self.agent: Agent | None = None  # whose `last` is
        self._looked_at = ""  # the agent whose context the reader chose to see
        self.question: AskedQuestion | None = None  # that `last` answers, or that could not be
        self.plans: tuple[Plan, ...] = ()  # one for each agent that can be asked
        self.left_out: tuple[tuple[Agent, LoomError], ...] = ()  # the others, and why, if any can be
        self.outcomes: tuple[tuple[AskedQuestion, Assembled | LoomError], ...] = ()  # of each that is asked
        self.error: LoomError | None = None
        self.refusal: LoomError | None = None  # why nothing can be continued here, whatever is sent
        self._soon = IdleTimer(self)
        self._soon.timeout.connect(self.on_turn)
        self._found: ContextResult | None = None  # what is to be told in the next turn
        self._is_closed = False

    def wait_for_sight(self) -> None:
        """Assemble nothing before the window is seen, unless it is asked for at once."""
        self._soon.setInterval(LATEST_MS)

    def on_seen(self) -> None:
        """Assemble what waits, now that the window is seen."""
        self._soon.setInterval(0)

    def close(self) -> None:
        """Assemble no more: it reads the grove, which would open its file again after it was closed."""
        self._is_closed = True
        self._soon.stop()

    def by_strategy(self) -> Iterator[tuple[str, Assembled | LoomError]]:
        """Assemble the context for the agent that is looked at by each strategy, one at a time as they are
        asked for. It ends early once the tree or the question is another.
        """
        question, tree, ahead = self.question, self._document.tree, self.ahead
        if question is None or self.refusal is not None:
            return
        began = tree.loom, tree.touches.mark
        for name, outcome in by_strategy(ahead.tree, question, self.last):
            if question is not self.question or tree is not self._document.tree:
                return
            if (tree.loom, tree.touches.mark) != began:
                return
            yield name, ahead.named_error(outcome) if isinstance(outcome, LoomError) else ahead.named(outcome)

    def set_composer_text(self, text: str) -> None:
        """Text that is not committed yet: part of what Generate would send."""
        if text != self._composer_text:
            self._composer_text = text
            self.refresh()

    @property
    def is_written(self) -> bool:
        """True if something is written that becomes a node before anything is sent."""
        return self._is_written(self.ahead)

    def _is_written(self, ahead: UncommittedTree) -> bool:
        if self._document.tree.loom.mode == "buffer":
            return ahead.is_written
        return becomes_node(self._composer_text, self.attachments.blocks)

    def sources_from(self, node_id: str) -> Sources:
        """Return what the coming generation from a node hangs on: that node, or what is written after it."""
        return self._sources(node_id, is_written=self.is_written)

    def _sources(self, node_id: str, *, is_written: bool) -> Sources:
        pending = self.pending
        return (pending.sources_once_written if is_written else pending.sources)(node_id)

    def look_at(self, agent_id: str) -> None:
        """Show the context of this agent, while it is among those that are asked."""
        self._looked_at = agent_id
        self.refresh()

    def refresh(self) -> None:
        """Assemble again when the event loop comes round."""
        self._found = None
        if not self._is_closed:
            self._soon.start()

    def on_turn(self) -> None:
        """Assemble again. Of a long path the views are told in the next turn: each of them looks through it,
        which takes as long again.
        """
        self.on_seen()
        found, tree = self._found, self._document.tree
        if found is not None and found.tree is tree and found.state == (tree.loom, tree.touches.mark):
            self._tell(found)
        elif len(self._document.path_ids) < LONG_PATH:
            self.refresh_now()
        else:
            self._found = self._find()
            self._soon.start()

    def refresh_now(self) -> None:
        """Assemble again at once, for each agent that is asked. `last` is the one that is looked at, else the
        one with the least room. Those to which nothing can be sent are left out; if that is so of all,
        nothing is sent at all, and `error` says why.
        """
        self._tell(self._find())

    def _find(self) -> ContextResult:
        tree = self._document.tree
        state = tree.loom, tree.touches.mark
        in_text, refusal = self._look_ahead()
        in_edit = None if in_text is not None or refusal is not None else self._in_edit()
        ahead = in_text or in_edit or UncommittedTree(tree, self._document.current_id)
        questions = self._questions(ahead, is_in_text=in_text is not None or refusal is not None)
        return ContextResult(
            tree, state, ahead, refusal, questions, self._outcomes(ahead, refusal, questions)
        )

    def _tell(self, found: ContextResult) -> None:
        self._soon.stop()
        self._found, questions, outcomes = None, found.questions, found.outcomes
        self.ahead, self.refusal = found.ahead, found.refusal
        self.plans = tuple(plan for _, plan in outcomes if isinstance(plan, Plan))
        self.outcomes = tuple(
            (question, found.assembled if isinstance(found, Plan) else found) for question, found in outcomes
        )
        refusal = none_planned(outcomes)
        self.left_out = left_out(outcomes)
        if refusal is None:
            looked_at = (plan for plan in self.plans if plan.question.agent.id == self._looked_at)
            shown = next(looked_at, None) or min(self.plans, key=_free_tokens)
            self.last, self.error, self.question = shown.assembled, None, shown.question
            self.agent = shown.question.agent
            self.assembled.emit(self.last)
        else:
            place, self.error = refusal
            self.last, self.question, self.agent = None, questions[place], questions[place].agent
            self.failed.emit(self.error)

    @property
    def tightest(self) -> Assembled | None:
        """The context of the agent with the least room, whoever is looked at; None if nothing can be sent."""
        return None if self.last is None else min(self.plans, key=_free_tokens).assembled

    def settle(self) -> None:
        """Assemble at once what was to be when the event loop comes round."""
        if self._soon.isActive():
            self.refresh_now()

    def refuse(self) -> None:
        """Raises: LoomError if nothing can be sent as it is; what was in the way is looked at anew."""
        if self._soon.isActive() or self.error is not None or not self.outcomes:
            self.refresh_now()
        if self.error is not None:
            raise self.error

    def _in_edit(self) -> UncommittedTree | None:
        """Return the tree as it is once the message that is being edited is saved: sending saves it first."""
        edit, document = self.look_at_edit(), self._document
        if edit is None:
            return None
        return once_saved(document.tree, document.path, *edit, document.pen())

    def _look_ahead(self) -> tuple[UncommittedTree | None, LoomError | None]:
        """Return the tree that is continued where the text itself is written in, or why nothing can be."""
        try:
            return self.look_ahead(), None
        except LoomError as error:
            return None, error

    def _questions(self, ahead: UncommittedTree, *, is_in_text: bool) -> list[AskedQuestion]:
        document = self._document
        sources = self._sources(ahead.at, is_written=not is_in_text and self._is_written(ahead))
        suffix = ahead.suffix
        is_here = ahead.tree is document.tree
        selections = document.place.choices_reading(ahead.at) if is_here and not is_in_text else None
        return [
            AskedQuestion(
                agent,
                replace(sources, gap_id=ahead.gap_id),
                "" if is_in_text else self._composer_text,
                document.context_defaults,
                composer_blocks=self.attachments.blocks,
                commits_text=True,
                media=document.media,
                suffix=suffix,
                selections=selections,
                calls=document.calls.calls(document.context_defaults, document.path.nodes),
                now=document.calls.now,
                aware=aware_agent(agent, document.agents.by_id().values(), can_ask=True),
                estimator=document.counts.estimator(ahead.tree, ahead.at, selections, agent.model_ref),
            )
            for agent in self._asked(suffix)
        ]

    def _asked(self, suffix: str) -> tuple[Agent, ...]:
        """Return the models that are asked; with a suffix only those that fill in."""
        agents = self._document.agents.asked()
        if not suffix:
            return agents
        return tuple(a for a in agents if fills_in(rules_for(a.model_ref or ""))) or agents

    def _outcomes(
        self, ahead: UncommittedTree, refusal: LoomError | None, questions: Sequence[AskedQuestion]
    ) -> list[tuple[AskedQuestion, Plan | LoomError]]:
        """Plan what is sent for each question, or find why nothing can be, by the nodes on the screen."""
        if refusal is not None:
            return [(question, refusal) for question in questions]
        return [
            (
                question,
                ahead.named_error(found)
                if isinstance(found, LoomError)
                else replace(found, assembled=ahead.named(found.assembled)),
            )
            for question, found in outcomes_of(ahead.tree, questions, self._document)
        ]
