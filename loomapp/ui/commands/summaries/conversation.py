"""Summaries of the conversation: asked for by hand, made once an answer has landed, or before one is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.context.assembly import Assembled
from loomapp.core.economy.branch_summaries import ProposedSummary
from loomapp.core.economy.coverage import covered_hash
from loomapp.core.errors import LoomError, server_words
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.provider import ProviderError
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import OFF
from loomapp.core.model.entities import ContextSummary
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.core.summarisers.changes import SummaryOrigin
from loomapp.core.summarisers.plan import SummaryPlan, plan_at, plan_for
from loomapp.providers.run.summary import SummaryAnswer
from loomapp.session.requests.open_summaries import (
    due_of,
    due_without_room,
    economy_of,
    summarising_agent,
)
from loomapp.session.requests.running_request import RunningRequest
from loomapp.session.requests.summariser import RunningSummary, SummaryFailure
from loomapp.ui import figures
from loomapp.ui.frame.notices import NextStep
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.workbench import Workbench


def summarise_here(bench: Workbench) -> None:
    """Ask for the summary of all up to a message. Raises: AssemblyError if there is nothing new."""
    document = bench.work.document
    node_id = bench.work.writing.settled(bench.meant_id)
    least = economy_of(document).min_recent_messages
    start_by_hand(bench, plan_at(document.tree, node_id, least, leaf_id=document.path_ids[-1]))


def compact_branch(bench: Workbench) -> None:
    """Ask for the summary of all but the newest messages of the path, of another branch up to the current
    node. Raises: AssemblyError likewise.
    """
    document = bench.work.document
    node_id = bench.work.writing.settled(document.current_id)
    path = document.path
    if node_id not in path:
        path = resolve(document.tree, node_id, document.place.choices_reading(node_id))
    _compact(bench, path)


def compact_path(bench: Workbench) -> None:
    """Ask for the summary of all but the newest messages of the path that is read, wherever one stands.
    Raises: AssemblyError likewise.
    """
    bench.work.writing.settled(bench.work.document.current_id)
    _compact(bench, bench.work.document.path)


def _compact(bench: Workbench, path: Path) -> None:
    document = bench.work.document
    start_by_hand(bench, plan_for(document.tree, path, economy_of(document).min_recent_messages))


def start_by_hand(bench: Workbench, plan: SummaryPlan) -> None:
    """Ask for a summary that a person wants now, with Stop beside it. Only once there is one do the failures
    of its path count no more.
    """

    def ended(error: LoomError | None) -> None:
        if error is None:
            bench.work.generator.summaries.forgive(plan.tree_id, plan.covered.path)
        _ended_by_hand(bench, partial(start_by_hand, bench, plan), error)

    _say_running(bench, _start(bench, plan, "manual", ended))


def propose(bench: Workbench, plan: SummaryPlan, takes: Callable[[ProposedSummary], None]) -> None:
    """Ask for a text that is not saved, but handed over, with Stop beside it."""
    document, economy = bench.work.document, economy_of(bench.work.document)
    agent = summarising_agent(document, economy, document.agents.asked()[0])
    ended = partial(_ended_by_hand, bench, partial(propose, bench, plan, takes))
    summaries = bench.work.generator.summaries

    def take(answer: SummaryAnswer) -> None:
        response = answer.response
        assert response is not None, "a text was taken from a response"
        takes(ProposedSummary(answer.text, agent.model_ref, response))

    running = summaries.propose(plan, agent, economy, take, ended)
    _say_running(bench, running)


def _start(
    bench: Workbench,
    plan: SummaryPlan,
    origin: SummaryOrigin,
    then: Callable[[LoomError | None], None] | None = None,
) -> RunningSummary:
    document, economy = bench.work.document, economy_of(bench.work.document)
    agent = summarising_agent(document, economy, document.agents.asked()[0])
    return bench.work.generator.summaries.start(plan, agent, economy, origin, then)


def _say_running(bench: Workbench, running: RunningSummary) -> None:
    """Say that a summary is being made, with Stop, until it has ended."""
    said = _words(running)
    _tell_while(bench, running, said)
    bench.frame.offer(said, tr("Stop"), partial(_stop, bench, running), tone="progress")


def _tell_while(bench: Workbench, running: RunningSummary, said: str) -> None:
    """Let a sentence take the place of what is said of a summary already, and go when that has ended."""
    strip = bench.views.text_pane.errors
    strip.drop(running.told)
    running.told = said
    running.then.append(lambda _: strip.drop(running.told))


def _words(running: RunningSummary) -> str:
    covered, name = running.plan.covered_messages, running.agent.name
    words = tr("{name} is summarising {count} messages.")
    if covered == 1:
        words = tr("{name} is summarising 1 message.")
    said = words.format(name=name, count=figures.number(covered))
    if running.portion.count > 1:
        part = tr("Part {number} of {count}.")
        said += " " + part.format(number=running.portion.number, count=running.portion.count)
    return said


def _stop(bench: Workbench, running: RunningSummary) -> None:
    bench.work.generator.summaries.stop(running)


def _is_stopped(error: LoomError) -> bool:
    return isinstance(error, ProviderError) and error.code == "cancelled"


def _ended_by_hand(bench: Workbench, again: Callable[[], None], error: LoomError | None) -> None:
    if error is not None and _is_stopped(error):
        bench.frame.note(tr("Stopped: no summary was made."))
    elif error is not None:
        said = tr("No summary was made: {why}").format(why=told(error.message))
        bench.frame.offer(said, tr("Try again"), again)


# Unasked


class UnaskedSummaries(QObject):
    """Begins the summaries that nobody asked for: in the background once an answer has landed, before an
    answer is sent that has no room, and after a server said that there was none.
    """

    def __init__(self, bench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._bench = bench
        self._landed: dict[str, set[str]] = {}  # answers by tree, of which no context was made yet
        self._asked_again: set[tuple[str, str]] = set()  # trees and nodes for which a server had no room
        answers, summaries = bench.work.generator.answers, bench.work.generator.summaries
        answers.landed.connect(self.on_landed)
        bench.work.preview.assembled.connect(self.on_assembled)
        summaries.made.connect(self.on_made)
        one_liners, summary = bench.work.generator.one_liners, bench.views.settings_page.summary
        one_liners.made.connect(self.on_one_liner)
        one_liners.ended.connect(self.on_tree_summed_up)
        summary.asked.connect(one_liners.sum_up_tree)
        bench.work.document.tree_opened.connect(lambda _: summary.take_up())

    def on_made(self, row: ContextSummary) -> None:
        """Say what a summary saves, where it is of the path that is read; or why it saves nothing."""
        document = self._bench.work.document
        place, last = document.path.place_of(row.anchor_node_id), self._bench.work.preview.last
        if place is not None:
            words = tr("Context summarized ({count} messages): {before} → {after} tokens")
            if covered_hash(document.path, place) != row.covered_hash:
                words = tr("The summary of {count} messages is not used: they were changed meanwhile.")
            elif last is not None and last.economy is not None and not last.economy.stages.summary:
                words = tr("The summary of {count} messages is not used: the tree settings say so.")
            names = "messagesSummarized", "originalTokens", "summaryTokens"
            count, before, after = (figures.number(int(str(row.body.get(name)))) for name in names)
            self._bench.frame.note(words.format(count=count, before=before, after=after))

    def on_one_liner(self, count: int, tokens: int) -> None:
        """Say what those that nobody asks for have cost since they were switched on."""
        words = tr("One-liners: {count} made, {tokens} tokens so far")
        said = words.format(count=figures.number(count), tokens=figures.number(tokens))
        self._bench.views.status.show_note(said)

    def on_tree_summed_up(self, error: LoomError | None) -> None:
        """Let it be asked for again, and say why nothing came."""
        self._bench.views.settings_page.summary.take_up()
        if error is not None:
            self._bench.frame.show_error(error)

    def on_landed(self, flight: RunningRequest) -> None:
        """Wait for the context that follows an answer; make room if a server had none for the question."""
        if not flight.is_empty:
            answer = flight.ids.get(flight.read_index, "")
            landed = answer if answer in flight.tree.nodes else flight.sources.primary_id
            self._landed.setdefault(flight.tree.loom.id, set()).add(landed)
        elif any(_has_no_room(draft.error) for draft in flight.drafts.values()):
            self._make_room(flight)

    def on_assembled(self) -> None:
        """Summarise in the background if that is due after an answer, judged by the path to it, and by the
        agent with the least room; in another tree once that is read.
        """
        document, tightest = self._bench.work.document, self._bench.work.preview.tightest
        if document.grove.read_only or tightest is None:
            return
        landed = self._landed.pop(document.tree.loom.id, set())
        if any(node_id in document.path for node_id in landed):
            self._make_due(tightest)
        for node_id in landed:
            if node_id not in document.path and node_id in document.tree.nodes:
                other = _coming(self._bench, Sources(node_id), ())
                if other is not None:
                    self._make_due(other)

    def _make_due(self, assembled: Assembled) -> None:
        work, summaries = self._bench.work, self._bench.work.generator.summaries
        due, context = due_of(work.document, summaries, assembled), assembled.economy
        if due is None or context is None or due.due != "background":
            return
        if summaries.under_way(due.plan.tree_id, context.path) is None:
            ended = partial(self._ended_unasked, due.economy.most_failures)
            _start(self._bench, due.plan, "background", ended)

    def _ended_unasked(self, most: int, error: LoomError | None) -> None:
        """Say once that nothing more is made by itself on a path; why, says a card in a dialogue."""
        bench, document = self._bench, self._bench.work.document
        failures = bench.work.generator.summaries.failures(document.tree.loom.id, document.path)
        if error is None or len(failures) != most or failures[-1].error is not error:
            return
        said = tr("Automatic summaries are paused on this path.")
        bench.frame.offer(said, tr("Show why"), partial(_show_failure, bench, failures[-1]))

    def _make_room(self, flight: RunningRequest) -> None:
        """Summarise what a server had no room for, and ask again; once."""
        bench, document = self._bench, self._bench.work.document
        asked = flight.tree.loom.id, flight.sources.primary_id
        is_here = flight.tree is document.tree and flight.sources.primary_id in document.path
        if not is_here or asked in self._asked_again:
            return
        due = due_without_room(document, bench.work.generator.summaries)
        if due is None:
            return
        self._asked_again.add(asked)
        _summarise_first(bench, due.plan, partial(self._ask_again, f"{flight.key}:{min(flight.drafts)}"))

    def _ask_again(self, key: str) -> None:
        generator = self._bench.work.generator
        if generator.answers.failed_answers.failed_flight(key) is not None:
            generator.retry(key)


def _show_failure(bench: Workbench, failed: SummaryFailure) -> None:
    """Bring the card into view that says why none is made, below the message it would be anchored at; where
    there are no cards, say it.
    """
    dialogue = bench.views.dialogue
    bench.frame.bring_text()
    if dialogue.isVisible():
        dialogue.reveal(failed.anchor_node_id)
    else:
        bench.frame.offer(given_up_words(bench, failed), tr("Try again"), partial(compact_path, bench))


def given_up(bench: Workbench) -> SummaryFailure | None:
    """The last failure of the path that is read, if it failed so often in a row that nothing is made by
    itself any more; None as long as it is, or never was.
    """
    document, economy = bench.work.document, economy_of(bench.work.document)
    if economy.make_summaries == OFF:
        return None
    failures = bench.work.generator.summaries.failures(document.tree.loom.id, document.path)
    return failures[-1] if len(failures) >= economy.most_failures else None


def given_up_words(bench: Workbench, failed: SummaryFailure) -> str:
    """Return the words on a path of which nothing is made by itself any more."""
    document = bench.work.document
    failures = bench.work.generator.summaries.failures(document.tree.loom.id, document.path)
    words = tr("Summarising failed {count} times on this path and is paused here. Last error: {why}")
    why = unsteered(server_words(failed.error)) or f"“{told(failed.error.message)}”"
    return words.format(count=len(failures), why=why)


def _has_no_room(error: LoomError | None) -> bool:
    return isinstance(error, ProviderError) and error.code == "contextTooLong"


def made_first(bench: Workbench, sources: Sources, agents: Sequence[Agent], send: Callable[[], None]) -> bool:
    """True if a summary has to be made before the sources are continued: it is begun, and `send` follows once
    it is there. The person may stop it, or send anyway.
    """
    document = bench.work.document
    if economy_of(document).make_summaries == OFF:
        return False
    coming = _coming(bench, sources, agents)
    due = None if coming is None else due_of(document, bench.work.generator.summaries, coming)
    if due is None or due.due != "blocking":
        return False
    waits = document.tree.loom.id, sources.primary_id
    _summarise_first(bench, due.plan, partial(_send_if_there, bench, *waits, send))
    return True


def _send_if_there(bench: Workbench, tree_id: str, node_id: str, send: Callable[[], None]) -> None:
    """Send what waited, unless another tree is read, or the message was undone meanwhile."""
    tree = bench.work.document.tree
    if tree.loom.id != tree_id:
        _say_unsent(bench, tree_id)
    elif node_id in tree.nodes:
        send()
    else:
        bench.frame.note(tr("Nothing was sent: the waiting message was undone."))


def _say_unsent(bench: Workbench, tree_id: str) -> None:
    said = tr("Your message in the other tree was not sent: press Generate there.")
    bench.frame.offer(said, tr("Go there"), partial(bench.frame.open_tree, tree_id))


def _coming(bench: Workbench, sources: Sources, agents: Sequence[Agent]) -> Assembled | None:
    """The context that would be sent, of several agents that of the one with the least room; None where
    nothing can be sent, which is said when that is tried.
    """
    work = bench.work
    if sources.primary_id == work.document.current_id:
        work.preview.settle()
        return work.preview.tightest
    try:
        plans = work.generator.plans(sources, agents)
    except LoomError:
        return None
    return min(plans, key=lambda plan: plan.free_tokens).assembled


def _summarise_first(bench: Workbench, plan: SummaryPlan, send: Callable[[], None]) -> None:
    """Begin a summary, and send once it is there; where something waits for one of the path already, this is
    sent in its stead.
    """
    document, summaries = bench.work.document, bench.work.generator.summaries
    go_on = partial(_go_on, bench, document.tree.loom.id, send)
    running = summaries.under_way(document.tree.loom.id, document.path)
    if running is None or running.send_anyway is None:
        running = _start(bench, plan, "blocking", go_on)
    else:
        running.then[:] = [go_on]
    _wait(bench, running, send)


def _wait(bench: Workbench, running: RunningSummary, send: Callable[[], None]) -> None:
    """Say that an answer waits for a summary, with what can be done meanwhile."""
    said = tr("{words} Your message will be sent when it is done.").format(words=_words(running))

    def send_anyway() -> None:
        running.then.clear()
        _stop(bench, running)
        bench.views.text_pane.errors.drop(running.told)
        send()

    running.send_anyway = send_anyway
    _tell_while(bench, running, said)
    bench.work.generator.summaries.changed.emit()  # its card says that an answer waits for it
    steps: list[NextStep] = [
        ("stop", tr("Stop"), partial(_stop, bench, running)),
        ("send", tr("Send anyway"), send_anyway),
    ]
    bench.frame.offer_several(said, steps, tone="progress")


def _go_on(bench: Workbench, tree_id: str, send: Callable[[], None], error: LoomError | None) -> None:
    """Send what waited for a summary; if it failed, only if the person says so. Where another tree is read
    by then it is not sent: its answer would come unseen.
    """
    if bench.work.document.tree.loom.id != tree_id:
        if error is None or not _is_stopped(error):
            _say_unsent(bench, tree_id)
        return
    if error is None:
        bench.frame.run_command(lambda _: send())
    elif _is_stopped(error):
        bench.frame.note(tr("Stopped: no summary was made, and your message was not sent."))
    else:
        failed = given_up(bench)
        why = told(error.message) if failed is None else given_up_words(bench, failed)
        said = tr("Your message was not sent because no summary could be made. {why}").format(why=why)
        bench.frame.offer(said, tr("Send anyway"), send)
