"""Remedies in a window: one click at a message that is left out, a warning, or an error of assembly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.report import PENDING_SOURCE_TRUNCATED, PENDING_SOURCE_WITHOUT_PRIMARY
from loomapp.core.edits import node_edits, node_marks
from loomapp.core.errors import AssemblyError, LoomError
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.agent import Agent
from loomapp.core.sent.inputs import Inputs, assembled_from, inputs_of
from loomapp.core.sent.trial import (
    Remedy,
    agent_made_so,
    all_stages,
    made_so,
    remedies_for,
    room_for,
    without,
)
from loomapp.providers.registry import rules_for
from loomapp.session.document import Make
from loomapp.ui import figures
from loomapp.ui.commands.save import save
from loomapp.ui.strings import tr
from loomapp.ui.unsaved.unsaved import listed
from loomapp.ui.widgets.page import Menu
from loomapp.ui.widgets.words.context_words import words_of
from loomapp.ui.workbench import Workbench

MENDING: Mapping[str, Make] = {  # what is done about a node, by the reason for which it is left out
    "": node_marks.exclude,
    "excluded": node_marks.include,
    "sendInFull": lambda tree, ids, pen: node_marks.send_in_full(tree, ids[0], True, pen),
    "shortenWhenFull": lambda tree, ids, pen: node_marks.send_in_full(tree, ids[0], False, pen),
    "pruned": node_marks.restore_all,
    "annotation": lambda tree, ids, pen: node_edits.include_annotation(tree, ids[0], True, pen),
}


def inputs_now(bench: Workbench) -> Inputs | None:
    """Return the inputs of what would be sent or is tried, on the tree ahead (see `Preview.ahead`); None if
    there is no path to the current node, or the endpoint of its model can't be read.
    """
    outcome = bench.work.what_if.shown
    if outcome is not None:
        return outcome.inputs
    question = bench.work.preview.question
    return None if question is None else _inputs(bench, question)


def _inputs(bench: Workbench, question: AskedQuestion) -> Inputs | None:
    try:
        return inputs_of(bench.work.preview.ahead.tree, question, rules_for(question.agent.model_ref or ""))
    except LoomError:  # no path, or endpoints that can't be read: the preview says so
        return None


def assembled_now(bench: Workbench) -> Assembled | None:
    outcome = bench.work.what_if.shown
    return bench.work.preview.last if outcome is None else outcome.assembled


def remedies(bench: Workbench, error: LoomError) -> Sequence[Remedy]:
    """Return the remedies that would help against an error of the shown context."""
    today = inputs_now(bench)
    if today is None or not isinstance(error, AssemblyError) or bench.work.document.grove.read_only:
        return ()
    return remedies_for(bench.work.preview.ahead.tree, today, error)


def have(bench: Workbench, wanted: Inputs) -> None:
    """Send a remedy's inputs from now on: by what is tried, if anything is; else by the tree, as one step of
    undo.
    """
    if bench.work.what_if.is_on:
        bench.work.what_if.put(wanted)
        return
    question = bench.work.preview.question
    today = None if question is None else _inputs(bench, question)
    if question is not None and today is not None:
        make_so(bench, [question.agent], today, wanted)


def make_so(bench: Workbench, agents: Sequence[Agent], today: Inputs, wanted: Inputs) -> None:
    """The tree, and where that is needed the agents, send from now on what is wanted instead of today's. What
    is being written takes the flags of its passage when it is committed.
    """
    document, ahead = bench.work.document, bench.work.preview.ahead
    today, wanted = ahead.named_inputs(today), ahead.named_inputs(wanted)
    document.commit(made_so(document.tree, today, wanted, document.pen()))
    changed = [agent for agent in agents if agent_made_so(agent, today, wanted) != agent]
    for agent in changed:
        document.agents.put(agent_made_so(agent, today, wanted))
    if changed:
        names = listed([agent.name for agent in changed])
        said = tr("{name} is asked this way in every tree from now on.")
        if len(changed) > 1:
            said = tr("{name} are asked this way in every tree from now on.")
        bench.frame.offer(said.format(name=names), tr("Change that back"), partial(_put_back, bench, changed))


def _put_back(bench: Workbench, agents: Sequence[Agent]) -> None:
    for agent in agents:
        bench.work.document.agents.put(agent)


# One click at a row


def mend(bench: Workbench, node_id: str, why: str) -> None:
    """Do what helps about a node: `why` is the reason for which it is left out, "" if it is sent, or the name
    of a warning.
    """
    document = bench.work.document
    if why in MENDING and node_id not in document.tree.nodes:  # undone since the row was painted
        bench.frame.note(tr("This node is no longer in the tree."))
        return
    if why in MENDING:
        document.edit([node_id], MENDING[why])
        if why == "annotation" and (said := bench.text.said_of_notes()):
            bench.frame.note(said)
        return
    node_id = bench.work.writing.settled(node_id)  # no edit follows, but a menu, a detachment or a setting
    match why:
        case "instruction_without_system":
            save.save_loom(bench, replace(document.tree.loom, buffer_mode_system_context=True))
        case _ if why == PENDING_SOURCE_WITHOUT_PRIMARY:
            bench.work.preview.pending.detach(node_id)
        case "overLimit":
            _pop_up(over_limit_menu(bench))
        case _:
            _pop_up(room_menu(bench, node_id, can_detach=why == PENDING_SOURCE_TRUNCATED))


def room_menu(bench: Workbench, node_id: str, *, can_detach: bool = False) -> QMenu:
    """Return the menu of ways to make room for a node; each was tried, and says what is sent then."""
    menu = _menu(bench)
    today, tree = inputs_now(bench), bench.work.preview.ahead.tree
    found = () if today is None else _room_for(bench, today, node_id)
    for remedy in found:
        _add(bench, menu, words_of(remedy, tree), partial(have, bench, wanted=remedy.inputs))
    if not found:
        menu.addAction(tr("No setting of this tree makes room for it")).setEnabled(False)
    if can_detach:
        _add(bench, menu, tr("Detach it"), lambda: bench.work.preview.pending.detach(node_id))
    _add_elsewhere(bench, menu)
    return menu


def _room_for(bench: Workbench, today: Inputs, node_id: str) -> Sequence[Remedy]:
    ahead = bench.work.preview.ahead
    try:
        assembled = assembled_from(ahead.tree, today)
    except AssemblyError:
        return ()
    here = next((i for i in ahead.standing_for(node_id) if i in assembled.fates), node_id)
    question = bench.work.preview.question
    if question is None:
        return room_for(ahead.tree, today, assembled, here)
    possible = all_stages(ahead.tree, question, rules_for(question.agent.model_ref or ""))
    return room_for(ahead.tree, today, assembled, here, possible)


def over_limit_menu(bench: Workbench) -> QMenu:
    """Return the menu of parts that can be taken from the newest message, which alone is too long."""
    menu = _menu(bench)
    today, assembled = inputs_now(bench), assembled_now(bench)
    ahead = bench.work.preview.ahead
    if today is not None and assembled is not None:
        passages = assembled.fitted.passages
        costs = passages.tokens_by_node(range(passages.unit_starts()[-1], len(passages)))
        for node_id in sorted(costs, key=lambda one: -costs[one]):
            if node_id in (today.at, ahead.names.get(today.at)):
                continue
            name = bench.work.document.tree.nodes[node_id].local_id
            tokens = figures.number(costs[node_id])
            if node_id in today.context_ids:
                words = tr("Detach {name}: {count} tokens").format(name=name, count=tokens)
                _add(bench, menu, words, partial(bench.work.preview.pending.detach, node_id))
            else:
                words = tr("Exclude {name}: {count} tokens").format(name=name, count=tokens)
                wanted = without(today, ahead.standing_for(node_id))
                _add(bench, menu, words, partial(have, bench, wanted=wanted))
    _add_elsewhere(bench, menu)
    return menu


def _menu(bench: Workbench) -> QMenu:
    menu = Menu(bench.views.window)
    menu.setObjectName("remedyMenu")
    return menu


def _add(bench: Workbench, menu: QMenu, words: str, act: Callable[[], None]) -> None:
    menu.addAction(words.replace("&", "&&"), lambda: bench.frame.run_command(lambda _: act()))


def _add_elsewhere(bench: Workbench, menu: QMenu) -> None:
    menu.addSeparator()
    _add(bench, menu, tr("Choose another model…"), partial(choose_model, bench))
    if not bench.work.what_if.is_on:
        _add(bench, menu, tr("Try something else…"), bench.work.what_if.begin)


def _pop_up(menu: QMenu) -> None:
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(QCursor.pos())


def show_over_limit(bench: Workbench) -> None:
    """Show the parts that can be taken from a message that is too long: the inspector, and a menu."""
    bench.frame.bring_inspector()
    bench.views.inspector.show_context()
    menu, strip = over_limit_menu(bench), bench.views.text_pane.errors
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(strip.mapToGlobal(strip.rect().bottomLeft()))


# Elsewhere


def choose_model(bench: Workbench) -> None:
    bench.views.header.agents.on_clicked()


def forget_choices(bench: Workbench) -> None:
    """Drop the path's choices that lead nowhere any more: it takes the newest version there."""
    document = bench.work.document
    tree = document.tree
    sound = {
        target: source
        for target, source in tree.path.selections.items()
        if any(source in edge.with_role("primary") for edge in tree.incoming(target))
    }
    document.commit(node_edits.choose_path(tree, tree.path.leaf_id, document.pen(), sound))
