"""A run of a loom-aware agent: it is asked, its commands are carried out, and it is asked again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.awareness import RunExchange, aware_agent
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError, LoomError
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for, request_for
from loomapp.core.generation.cost import silent_calls, wordless_calls
from loomapp.core.generation.drafts import Draft
from loomapp.core.generation.provider import Request, Usage
from loomapp.core.json_values import Json
from loomapp.core.loom_commands import trace
from loomapp.core.model.agent import USUAL_SECONDS, USUAL_STEPS, USUAL_TOKENS, Agent
from loomapp.core.model.raw_response import Evidence
from loomapp.core.paths.resolve import node_not_found
from loomapp.core.prose.fill_in import AnswerAnchor, anchor_at
from loomapp.core.sent.inputs import Inputs, assembled_from, inputs_of
from loomapp.core.sent.record import record_of, to_json
from loomapp.core.text.command_lines import Batch, first_batch, thoughts_of
from loomapp.core.text.token_counts import estimate
from loomapp.runs.asked_model import Answers, Asking, RunRequest, Steps
from loomapp.runs.batch import RunState
from loomapp.runs.events import Reason, RunEvent, RunOutcome, StepBegan, added_up
from loomapp.runs.place import RunPlace

CUT_SHORT = frozenset({"length", "max_tokens", "max_output_tokens", "incomplete"})  # as providers say it
NO_USAGE = Usage()


@dataclass(slots=True)
class _Progress:
    """Progress of a run: its steps, and what they took."""

    step: int = 0
    tokens: int = 0  # that the model wrote
    usage: Usage = NO_USAGE
    exchanges: tuple[RunExchange, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """One answer of the agent, the commands of it that can be carried out, and the record of its request."""

    answers: Answers
    batch: Batch | None
    record: dict[str, object]

    @property
    def draft(self) -> Draft:
        return self.answers.drafts[0]


@dataclass(frozen=True, slots=True)
class LastAnswer:
    """The answer with which a run ends, and what it rests on; its draft is the answer as it came."""

    draft: Draft
    evidence: tuple[Evidence, ...]
    record: dict[str, object]
    trace: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class RunAbove:
    """The run that waits for another: its action, its end, and all agents that wait by then."""

    action_id: str
    asking: Asking
    waiting: frozenset[str] = frozenset()


def _untold(_: RunEvent) -> None:
    return None


class AgentRun:
    """A run that continues a node of a dialogue. `result` blocks its thread; any other may stop it. Who asks
    models in another way follows its `steps`.

    One action: all its changes are one step of undo. The agent must be a model that sees the tree.
    """

    def __init__(
        self,
        place: RunPlace,
        agent: Agent,
        sources: Sources,
        tell: Callable[[RunEvent], None],
        above: RunAbove | None = None,
        *,
        action_id: str = "",
        land: Callable[[LastAnswer], str | None] | None = None,
    ) -> None:
        """`action_id` is the action to which it belongs, if there is one already; `land` makes a node of its
        last answer in another way, and gives its id.
        """
        limits = agent.run_limits
        self._place, self._agent, self._sources, self._tell = place, agent, sources, tell
        at = sources.primary_id
        self._steps, self._tokens = limits.steps or USUAL_STEPS, limits.tokens or USUAL_TOKENS
        deadline = time.monotonic() + (limits.seconds or USUAL_SECONDS)
        self._is_own = above is None
        self._land = land or self._landed
        waits = None if above is None else above.asking
        deadline = deadline if waits is None else min(deadline, waits.deadline)
        self._asking = Asking(tell, place.new_id, deadline, waits)
        action_id = action_id or (place.new_id() if above is None else above.action_id)
        waiting = frozenset[str]() if above is None else above.waiting
        self._walk = RunState(place, agent, at, action_id, at, self._run_within, waiting)
        self._progress = _Progress()
        self._standing: AnswerAnchor | None = None

    def _run_within(self, agent: Agent, at: str) -> Steps[RunOutcome]:
        """Have another agent that sees the tree answer for this one, as part of the same action."""
        walk = self._walk
        above = RunAbove(walk.action_id, self._asking, walk.waiting)
        return AgentRun(self._place, agent, Sources(at), _untold, above).steps()

    def stop(self) -> None:
        """End the run now; what was done and written stays."""
        self._asking.stop()

    @property
    def trace(self) -> tuple[Json, ...]:
        return tuple(self._walk.trace)

    def hear(self, line: str, said: str, code: str | None) -> None:
        """Have the agent hear of a decision about a command with the next results."""
        self._walk.decide(line, said, code)

    @property
    def tokens(self) -> int:
        """The tokens that its model has written in the steps that have ended."""
        return self._progress.tokens

    @property
    def most_steps(self) -> int:
        return self._steps

    def result(self) -> RunOutcome:
        """Ask and carry out until an answer has no command, or a limit is reached.

        Raises: AssemblyError if a request cannot be assembled; LoomError if the model cannot be asked, or the
        file takes nothing more.
        """
        return self._asking.result(self.steps())

    def steps(self) -> Steps[RunOutcome]:
        """Want the requests of the run answered, and carry out what the answers say. Raises: as `result`."""
        place, at = self._place, self._sources.primary_id
        model, self._standing = place.model_of(self._agent), anchor_at(place.tree, at)
        aware = aware_agent(self._agent, place.agents.values(), can_ask=place.propose is not None)
        question = place.question(self._agent, self._sources, aware)
        assembled = assembled_for(place.tree, question, model.rules)
        inputs = inputs_of(place.tree, question, model.rules, assembled)
        while True:
            request, record = self._request(question, inputs, assembled)
            trace_now = tuple(self._walk.trace)
            with place.journal_of(self._agent, at, request, trace_now) as journal:
                deadline, is_own = self._asking.deadline, self._is_own
                wanted = RunRequest(
                    request, model, self._agent, self._sources, deadline, trace_now, journal, is_own
                )
                step = yield from self._asked(wanted, record)
                reason = self._reason_before_commands(step)
                if reason is not None:
                    outcome = self._ended(step, reason)
                if journal is not None:
                    journal.forget()
            if reason is not None:
                return outcome
            yield from self._carry_out(step)
            reason = self._reason_after_commands()
            if reason is not None:
                return self._ended(step, reason)
            assert inputs.awareness is not None, "the agent sees the tree"
            steps = replace(inputs.awareness, exchanges=self._progress.exchanges)
            inputs = replace(inputs, awareness=steps)
            try:
                assembled = assembled_from(place.tree, inputs)  # as it was, whatever was changed since
            except AssemblyError as error:
                return replace(self._ended(step, "failed"), error=error)

    def _request(
        self, question: AskedQuestion, inputs: Inputs, assembled: Assembled
    ) -> tuple[Request, dict[str, object]]:
        """The request of a step and its record; its answer has no more room than is left of all."""
        agent, tree = self._agent, self._place.tree
        record = record_of(inputs, assembled, model_ref=agent.model_ref or "", agent_name=agent.name)
        request = request_for(assembled, question, 1, cache_key=tree.loom.id)
        left = max(1, self._tokens - self._progress.tokens)
        most = left if request.max_tokens is None else min(left, request.max_tokens)
        kept = to_json(record, tree)
        return replace(request, max_tokens=most, record=kept), kept

    def _asked(self, wanted: RunRequest, record: dict[str, object]) -> Steps[_Step]:
        """Ask once. Commands count in a whole answer alone, and in one that was cut at the limit but for the
        line that is cut.
        """
        progress = self._progress
        progress.step += 1
        self._tell(StepBegan(progress.step))
        answers = yield wanted
        if wanted.journal is not None:
            wanted.journal.settle(answers.drafts, answers.evidence)
        place, model_ref = self._place, self._agent.model_ref or ""
        place.spend(silent_calls(place.tree.loom.id, model_ref, place.now(), answers.silent_calls))
        draft = answers.drafts[0]
        counted = None if draft.usage is None else draft.usage.output_tokens
        progress.tokens += estimate(draft.text) if counted is None else counted
        progress.usage = added_up(progress.usage, draft.usage)
        text = draft.text
        if draft.reason in CUT_SHORT:
            text = text[: text.rfind("\n") + 1]
        return _Step(answers, None if draft.error is not None else first_batch(text), record)

    def _carry_out(self, step: _Step) -> Steps[None]:
        batch, walk, now = step.batch, self._walk, self._place.now()
        assert batch is not None, "there are commands"
        walk.trace += [trace.said(text, now) for text in (batch.prose, *batch.thoughts) if text]
        response = step.answers.response(step.record)
        number = self._progress.step
        results = yield from walk.carry_out(batch.lines, response, self._asking, number, self._tell)
        self._progress.exchanges += (RunExchange(batch.said, results),)
        self._spend(step.answers)

    def _reason_before_commands(self, step: _Step) -> Reason | None:
        """Why nothing of an answer is carried out; None if something is."""
        if self._asking.is_stopped:
            return "stopped"
        if self._asking.is_late:
            return "seconds"
        if step.draft.error is not None:
            return "failed"
        if step.batch is not None:
            return None
        return "tokens" if self._progress.tokens >= self._tokens else "answered"

    def _reason_after_commands(self) -> Reason | None:
        """Why the agent is not asked again; None if it is."""
        if self._asking.is_stopped:
            return "stopped"
        if self._asking.is_late:
            return "seconds"
        if self._progress.step >= self._steps:
            return "steps"
        return "tokens" if self._progress.tokens >= self._tokens else None

    def _ended(self, step: _Step, reason: Reason) -> RunOutcome:
        """Make a node of the last answer, if it says anything to people."""
        progress, place, draft = self._progress, self._place, step.draft
        own = () if step.batch is not None else thoughts_of(draft.text)
        done = (*self._walk.trace, *(trace.said(text, place.now()) for text in own))
        place.catch_up()
        error: LoomError | None = draft.error if reason == "failed" else None
        if (at := self._sources.primary_id) not in place.tree.nodes:
            reason, error = "failed", node_not_found(at)
        node_id = self._land(LastAnswer(draft, step.answers.evidence, step.record, done))
        if node_id is not None:
            self._walk.kept.update(one.id for one in step.answers.evidence)
        self._spend(step.answers)
        return RunOutcome(node_id, reason, progress.step, progress.usage, error)

    def _landed(self, answer: LastAnswer) -> str | None:
        """Commit the last answer; the id of its node, if it has one."""
        place = self._place
        if self._sources.primary_id not in place.tree.nodes:
            return None
        change = nodes_from_drafts(
            place.tree, (answer.draft,), sources=self._sources, agent_id=self._agent.id,
            evidence=answer.evidence, now=place.now(), new_id=place.new_id, by=self._agent.name,
            record=answer.record, standing=self._standing, trace=answer.trace,
            follow=self._is_own and place.follows,
        )  # fmt: skip
        if change is None:
            return None
        place.commit(self._agent, replace(change, action=self._walk.action_id))
        return change.added_nodes()[0].id

    def _spend(self, answers: Answers) -> None:
        """Count the calls that no node rests on."""
        place, model_ref = self._place, self._agent.model_ref or ""
        unkept = [one for one in answers.evidence if one.id not in self._walk.kept]
        place.spend(wordless_calls(place.tree.loom.id, model_ref, (), unkept))
