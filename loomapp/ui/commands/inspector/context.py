"""Context inspector in a window: the coming context, that of each strategy, and contexts of the past."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.plain_text import side_by_side
from loomapp.core.errors import LoomError
from loomapp.core.generation.assemble_request import request_for
from loomapp.core.model.economy_settings import AUTO, SUMMARIES
from loomapp.core.model.entities import Node
from loomapp.core.model.raw_response import Evidence
from loomapp.core.sent.trial import Remedy, agent_made_so, without
from loomapp.core.sentences import worded
from loomapp.providers.registry import wire_body
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui import figures
from loomapp.ui.commands import navigate
from loomapp.ui.commands import remedies as mending
from loomapp.ui.commands import tags as tagging
from loomapp.ui.commands.graph.branches import chosen
from loomapp.ui.commands.inspector.comparison import MOST, desk_of
from loomapp.ui.commands.inspector.history import past_of, rests_on
from loomapp.ui.commands.inspector.what_if import WhatIfInspector, begin
from loomapp.ui.commands.save import save
from loomapp.ui.commands.summaries import card_facts
from loomapp.ui.inspector.comparison import Side
from loomapp.ui.inspector.context.raw_page import json_text
from loomapp.ui.inspector.node.past_context import PastContext
from loomapp.ui.strings import tr
from loomapp.ui.widgets.words.outcome_words import name_of
from loomapp.ui.workbench import AtEnd, Workbench

if TYPE_CHECKING:
    from loomapp.ui.inspector.preview import ContextPreview

MOST_LOOKED_AT = 20  # answers, for one of which it is known what it was sent
Steps: TypeAlias = Callable[[], Iterator[None]]
LARGE = 2_000  # nodes of a tree: from here on it goes in turns


def wire(bench: Workbench) -> None:
    context, node = bench.views.inspector.context, bench.views.inspector.node
    node.set_can_write(not bench.work.document.grove.read_only)
    node.tag_wanted.connect(bench.actions.by_name["tag"].trigger)
    node.tag_removed.connect(lambda name: bench.frame.run_command(lambda w: tagging.remove_tag(w, name)))
    context.use(InspectorDesk(bench))
    context.agent_choice.chosen.connect(bench.work.preview.look_at)
    context.ask_saved = partial(card_facts.earned_lines, bench)
    WhatIfInspector(bench)
    run = bench.frame.run_command
    context.compare_asked.connect(lambda: run(compare_with_today))
    context.strategy_chosen.connect(lambda name: run(lambda w: choose_strategy(w, name)))
    context.exclude_asked.connect(lambda ids: run(lambda w: exclude(w, ids)))
    context.error_remedy_asked.connect(lambda remedy: run(lambda w: mending.have(w, remedy.inputs)))
    context.act_asked.connect(lambda name: run(ACTS[name]))
    bench.views.text_pane.context_bar.warning_asked.connect(lambda: run(show_warned))
    _wire_remedies(bench, context)
    bench.views.text_pane.preview_came.connect(partial(_wire_remedies, bench))
    bench.work.document.tree_opened.connect(lambda _: context.show_past(None))
    bench.work.document.tree_changed.connect(lambda _: look_again(bench))
    bench.work.document.place.current_changed.connect(lambda node_id, _: leave_past(bench, node_id))
    for written in (bench.views.composer.text_changed, bench.work.writing.written):
        written.connect(lambda *_: leave_past(bench))
    for told_anew in (bench.work.preview.assembled, bench.work.preview.failed):
        told_anew.connect(lambda _: look_again_if_other(bench))


def _wire_remedies(bench: Workbench, preview: ContextPreview) -> None:
    preview.remedy_asked.connect(
        lambda node, why: bench.frame.run_command(lambda w: mending.mend(w, node, why))
    )


class InspectorDesk:
    """Window's knowledge of the context that its inspector shows; see `context_preview.Desk`."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    def by_strategy(self) -> Iterator[tuple[str, Assembled | LoomError]]:
        return self._bench.work.preview.by_strategy()

    def strategy(self) -> tuple[str, bool]:
        """Return the strategy that counts, and True if another can be chosen."""
        document = self._bench.work.document
        own, inherited = document.tree.loom.context_settings, document.context_defaults
        can_choose = not document.grove.read_only
        if (own.economy.assembler or inherited.economy.assembler) == SUMMARIES:
            return SUMMARIES, can_choose
        return own.truncation_strategy or inherited.truncation_strategy, can_choose

    def remedies(self, error: LoomError) -> Sequence[Remedy]:
        return mending.remedies(self._bench, error)

    def request_writer(self, assembled: Assembled) -> Callable[[], str]:
        """Return how to write the request as the provider gets it, as JSON; that may be done on a thread."""
        bench, question = self._bench, self._bench.work.preview.question
        assert question is not None, "what is shown was asked for"
        agent = question.agent
        outcome = bench.work.what_if.shown
        if outcome is not None:
            agent = agent_made_so(agent, bench.work.what_if.outcomes[0].inputs, outcome.inputs)
        asked = replace(question, agent=agent)
        tree_id, count = bench.work.document.tree.loom.id, bench.views.composer.count
        return lambda: json_text(wire_body(request_for(assembled, asked, count, cache_key=tree_id)))


def show_context(bench: Workbench) -> None:
    bench.frame.bring_inspector()
    in_turns(bench, "past").leave()
    bench.views.inspector.context.show_past(None)
    bench.views.inspector.show_context()


def show_warned(bench: Workbench) -> None:
    """Show what the strip above the composer warns of: of images that go only by name the first, in the
    context of an agent that gets it so.
    """
    show_context(bench)
    preview, shown = bench.work.preview, bench.work.preview.agent
    plans = [plan for plan in preview.plans if plan.assembled.by_name]
    plan = next((p for p in plans if shown is not None and p.question.agent.id == shown.id), None)
    plan = plan or next(iter(plans), None)
    if plan is not None:
        preview.look_at(plan.question.agent.id)
        preview.refresh_now()
        bench.views.inspector.context.show_row(next(iter(plan.assembled.by_name)))


def choose_strategy(bench: Workbench, name: str) -> None:
    """Let the tree send by a strategy from now on, or by the summaries of its branches."""
    loom, inherited = bench.work.document.tree.loom, bench.work.document.context_defaults
    own = loom.context_settings
    if name == SUMMARIES:
        own = replace(own, economy=replace(own.economy, assembler=SUMMARIES))
    else:
        assembler = None if inherited.economy.assembler == AUTO else AUTO
        own = replace(own, truncation_strategy=name, economy=replace(own.economy, assembler=assembler))
    save.save_loom(bench, replace(loom, context_settings=own))


def show_sent(bench: Workbench) -> None:
    show_sent_of(bench, bench.meant_id)


def show_sent_of(bench: Workbench, node_id: str) -> None:
    """Show the request that a node's model was sent, and whether it would be the same today.

    Raises: LoomError if no response was kept for it.
    """
    document = bench.work.document
    node = document.tree.nodes[node_id]
    evidence = document.grove.evidence(document.tree.loom.id, node.id)
    if evidence is None:
        raise LoomError(tr("No request was kept for this text: it was imported, or written by hand."))
    in_turns(bench, "past").begin(partial(_show_past, bench, node, evidence))


def _show_past(bench: Workbench, node: Node, evidence: Evidence) -> Iterator[None]:
    past = yield from past_of(bench, node, evidence)
    bench.frame.bring_inspector()
    bench.views.inspector.context.show_past(past)
    bench.views.inspector.show_context()


def exclude(bench: Workbench, node_ids: list[str]) -> None:
    """Leave nodes out: of what is tried, while something is; else of the tree."""
    now = mending.inputs_now(bench)
    if now is not None:
        ahead = bench.work.preview.ahead
        here = [one for node_id in node_ids for one in ahead.standing_for(node_id)]
        mending.have(bench, without(now, here))


def find(bench: Workbench) -> None:
    """Look for words: in what is sent, while the inspector has the keyboard; else in the path."""
    focused, context = QApplication.focusWidget(), bench.views.inspector.context
    if focused is not None and context.isVisible() and bench.views.inspector.isAncestorOf(focused):
        context.find_bar.enter()
    else:
        navigate.find_in_path(bench)


def compare_with_last(bench: Workbench) -> None:
    """Compare the coming request word by word with the last one of this path, or else of this tree.

    Raises: LoomError if nothing was sent, or nothing can be.
    """
    in_turns(bench, "comparing").begin(partial(_compare_with_last, bench))


def _compare_with_last(bench: Workbench) -> Iterator[None]:
    now = mending.assembled_now(bench)
    if now is None:
        raise LoomError(tr("Nothing would be sent now: there is nothing to compare."))
    past, then = yield from _last_sent(bench)
    was, is_now = side_by_side([then, now])
    sent = _side(bench, past, tr("Sent to {agent}").format(agent=past.agent_name), was)
    name = tr("Would be sent now")
    outcome = bench.work.what_if.shown
    if outcome is not None and outcome.variant is not None:
        name = name_of(outcome.variant)
    desk_of(bench).show_texts([sent, replace(sent, name=name, when="", text=is_now)])


def _last_sent(bench: Workbench) -> Generator[None, None, tuple[PastContext, Assembled]]:
    document = bench.work.document
    nodes = document.tree.nodes
    on_path = (nodes[i] for i in reversed(document.path_ids) if nodes[i].author_type == "model")
    here = list(itertools.islice(on_path, MOST_LOOKED_AT))
    if not here:
        others = (node for node in nodes.values() if node.author_type == "model")
        here = heapq.nlargest(MOST_LOOKED_AT, others, key=lambda node: node.created_at)
    for node in here:
        evidence = document.grove.evidence(document.tree.loom.id, node.id)
        past = None if evidence is None else (yield from past_of(bench, node, evidence))
        if past is not None and past.replay is not None and past.replay.then is not None:
            return past, past.replay.then
    raise LoomError(tr("Nothing was sent from here yet, or it is not known any more what it was made of."))


def compare_with_today(bench: Workbench) -> None:
    past = bench.views.inspector.context.past
    replayed = past.replay if past is not None else None
    if past is None or replayed is None or replayed.then is None or replayed.now is None:
        return
    was, is_now = side_by_side([replayed.then, replayed.now])
    sent = _side(bench, past, tr("Sent to {agent}").format(agent=past.agent_name), was)
    today = replace(sent, name=tr("Would be sent today"), when="", text=is_now)
    desk_of(bench).show_texts([sent, today])


def can_compare_sent(bench: Workbench) -> bool:
    """Return True if two messages or more are selected, and models wrote all of them."""
    chosen, tree = bench.views.graph.chosen, bench.work.document.tree
    return len(chosen.found(tree)) > 1 and chosen.all_are(tree, _is_answer)


def _is_answer(node: Node) -> bool:
    return node.author_type == "model"


def compare_sent(bench: Workbench) -> None:
    """Compare the requests of the selected answers, side by side.

    Raises: LoomError if that is not known of one of them.
    """
    in_turns(bench, "comparing").begin(partial(_compare_sent, bench))


def _compare_sent(bench: Workbench) -> Iterator[None]:
    found: list[tuple[PastContext, str, Assembled]] = []
    for node_id in chosen(bench)[:MOST]:
        node = bench.work.document.tree.nodes[node_id]
        evidence = bench.work.document.grove.evidence(bench.work.document.tree.loom.id, node_id)
        past = None if evidence is None else (yield from past_of(bench, node, evidence))
        then = past.replay.then if past is not None and past.replay is not None else None
        if past is None or then is None:
            raise LoomError(worded("It is not known any more what {node} was made of.", node=node.local_id))
        name = tr("Sent to {agent}").format(agent=past.agent_name)
        found.append((past, name, then))
        yield
    texts = side_by_side([then for _, _, then in found])
    sides = [_side(bench, past, name, text) for (past, name, _), text in zip(found, texts, strict=True)]
    desk_of(bench).show_texts(sides, of_chosen=True)


def _side(bench: Workbench, past: PastContext, name: str, text: str) -> Side:
    agent = bench.work.document.agents.by_id().get(past.node.author_agent_id or "")
    when = figures.moment(past.evidence.started_at)
    return Side(past.node.id, past.node.local_id, agent, name, when, text)


def leave_past(bench: Workbench, node_id: str = "") -> None:
    """Show what would be sent again: somebody writes, or chooses another node than the one that was sent."""
    past = bench.views.inspector.context.past
    if past is not None and past.node.id != node_id:
        in_turns(bench, "past").leave()
        bench.views.inspector.context.show_past(None)


def look_again(bench: Workbench) -> None:
    """The tree is another: what was sent stays, but it may differ from today in other ways; or another node
    is chosen.
    """
    leave_past(bench, bench.work.document.current_id)
    for name in ("past", "comparing"):
        in_turns(bench, name).begin_again()
    past, turns = bench.views.inspector.context.past, in_turns(bench, "past")
    if past is not None and not turns.is_busy:
        turns.begin(partial(_look_again, bench, past))


def _look_again(bench: Workbench, past: PastContext) -> Iterator[None]:
    yield  # what else the change brings comes first
    found = yield from past_of(bench, past.node, past.evidence)
    if bench.views.inspector.context.past is not None:
        bench.views.inspector.context.show_past(found)


def look_again_if_other(bench: Workbench) -> None:
    """The agent, its model or the settings may be others, too: then today is another."""
    past = bench.views.inspector.context.past
    if past is not None and past.replay is not None and past.rests_on != rests_on(bench, past.node):
        look_again(bench)


def _write(bench: Workbench) -> None:
    bench.frame.bring_text()
    bench.views.composer.field.setFocus()


ACTS: Mapping[str, Callable[[Workbench], None]] = {
    "chooseModel": mending.choose_model,
    "treeSettings": lambda bench: bench.views.pages.show_settings(),
    "whatIf": begin,
    "forgetChoices": mending.forget_choices,
    "write": _write,
    "sinceLast": compare_with_last,
}


def in_turns(bench: Workbench, name: str) -> InTurns:
    """Return the window's work of that name, made when it is wanted first."""
    return bench.parts.one(InTurns, partial(InTurns, bench, f"{name}InTurns"), name)


class InTurns(QObject):
    """Does one thing at a time: what is begun takes the place of what was under way."""

    def __init__(self, bench: Workbench, name: str) -> None:
        super().__init__(bench.views.window)
        self.setObjectName(name)
        self._bench = bench
        self._make: Steps | None = None
        self._steps: Iterator[None] | None = None
        self._next = IdleTimer(self)
        self._next.timeout.connect(self.on_next)
        bench.work.document.tree_opened.connect(self.leave)
        bench.frame.keep_until_closed(AtEnd(self.leave))

    @property
    def is_busy(self) -> bool:
        return self._steps is not None

    def begin(self, make: Steps) -> None:
        """Go through the steps that `make` gives; in a small tree at once. Raises what the first does."""
        self.leave()
        self._make, self._steps = make, make()
        self._go_on()

    def begin_again(self) -> None:
        if self._make is not None:
            self.begin(self._make)

    def leave(self) -> None:
        self._next.stop()
        self._make = self._steps = None

    def on_next(self) -> None:
        self._bench.frame.run_beside_text(lambda _: self._go_on())

    def _go_on(self) -> None:
        is_small = len(self._bench.work.document.tree.nodes) < LARGE
        steps = self._steps
        try:
            while steps is not None and steps is self._steps:
                next(steps)
                if not is_small:
                    self._next.start()
                    return
        except StopIteration:
            self.leave()
        except BaseException:
            self.leave()
            raise
