"""What helps in a window: one click at a message that is left out, a warning, or an error of assembly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu

from loomapp.core import edits
from loomapp.core.asking import Question
from loomapp.core.context.assembly import Assembled
from loomapp.core.context.report import PENDING_SOURCE_TRUNCATED, PENDING_SOURCE_WITHOUT_PRIMARY
from loomapp.core.errors import AssemblyError, LoomError
from loomapp.core.sent.inputs import Inputs, inputs_of
from loomapp.core.sent.remedies import Remedy, remedies_for, room_for
from loomapp.core.sent.trial import agent_made_so, made_so, without
from loomapp.core.tree import Agent
from loomapp.providers.registry import rules_for
from loomapp.ui import figures
from loomapp.ui.inspector.remedy_words import words_of
from loomapp.ui.saving import saving
from loomapp.ui.strings import tr

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow


def inputs_now(window: MainWindow) -> Inputs | None:
    """What decides what would be sent, or is tried; None if there is no path to the current node."""
    outcome = window.trying.shown
    if outcome is not None:
        return outcome.inputs
    question = window.preview.question
    return None if question is None else _inputs(window, question)


def _inputs(window: MainWindow, question: Question) -> Inputs | None:
    try:
        return inputs_of(window.document.tree, question, rules_for(question.agent.model_ref or ""))
    except AssemblyError:
        return None


def assembled_now(window: MainWindow) -> Assembled | None:
    """What would be sent, or is tried."""
    outcome = window.trying.shown
    return window.preview.last if outcome is None else outcome.assembled


def remedies(window: MainWindow, error: LoomError) -> Sequence[Remedy]:
    """What would help against an error of what is shown."""
    today = inputs_now(window)
    if today is None or not isinstance(error, AssemblyError) or window.document.grove.read_only:
        return ()
    return remedies_for(window.document.tree, today, error)


def have(window: MainWindow, wanted: Inputs) -> None:
    """From now on this is sent: by what is tried, if anything is; else by the tree, as one step of undo."""
    if window.trying.is_on:
        window.trying.put(wanted)
        return
    question = window.preview.question
    today = None if question is None else _inputs(window, question)
    if question is not None and today is not None:
        make_so(window, question.agent, today, wanted)


def make_so(window: MainWindow, agent: Agent, today: Inputs, wanted: Inputs) -> None:
    """The tree, and where that is needed the agent, send from now on what is wanted instead of today's."""
    document = window.document
    document.commit(made_so(document.tree, today, wanted, document.pen()))
    changed = agent_made_so(agent, today, wanted)
    if changed != agent:
        document.put_agent(changed)
        said = tr("{name} is asked this way in every tree from now on.").format(name=agent.name)
        window.offer(said, tr("Change that back"), partial(document.put_agent, agent))


# One click at a row


def mend(window: MainWindow, node_id: str, why: str) -> None:
    """Do what helps about a node: `why` is the reason for which it is left out, "" if it is sent, or the name
    of a warning.
    """
    document = window.document
    tree, pen = document.tree, document.pen()
    match why:
        case "":
            document.commit(edits.exclude(tree, [node_id], pen))
        case "excluded":
            document.commit(edits.include(tree, [node_id], pen))
        case "pruned":
            document.commit(edits.restore(tree, node_id, pen))
        case "annotation":
            document.commit(edits.include_annotation(tree, node_id, True, pen))
        case "instruction_without_system":
            saving.save_loom(window, replace(tree.loom, buffer_mode_system_context=True))
        case _ if why == PENDING_SOURCE_WITHOUT_PRIMARY:
            window.preview.pending.detach(node_id)
        case "overLimit":
            _pop_up(over_limit_menu(window))
        case _:
            _pop_up(room_menu(window, node_id, can_detach=why == PENDING_SOURCE_TRUNCATED))


def room_menu(window: MainWindow, node_id: str, *, can_detach: bool = False) -> QMenu:
    """What would make room for a node; each entry was tried, and says what is sent then."""
    menu = _menu(window)
    today, assembled = inputs_now(window), assembled_now(window)
    tree = window.document.tree
    found = () if today is None or assembled is None else room_for(tree, today, assembled, node_id)
    for remedy in found:
        _add(window, menu, words_of(remedy, tree), partial(have, window, wanted=remedy.inputs))
    if not found:
        menu.addAction(tr("No setting of this tree makes room for it")).setEnabled(False)
    if can_detach:
        _add(window, menu, tr("Detach it"), lambda: window.preview.pending.detach(node_id))
    _add_elsewhere(window, menu)
    return menu


def over_limit_menu(window: MainWindow) -> QMenu:
    """What can be taken from the newest message, which alone is too long."""
    menu = _menu(window)
    today, assembled = inputs_now(window), assembled_now(window)
    if today is not None and assembled is not None:
        passages = assembled.fitted.passages
        costs = passages.tokens_by_node(range(passages.unit_starts()[-1], len(passages)))
        for node_id in sorted(costs, key=lambda one: -costs[one]):
            if node_id == today.at:
                continue
            name = window.document.tree.nodes[node_id].local_id
            tokens = figures.number(costs[node_id])
            if node_id in today.context_ids:
                words = tr("Detach {name}: {count} tokens").format(name=name, count=tokens)
                _add(window, menu, words, partial(window.preview.pending.detach, node_id))
            else:
                words = tr("Exclude {name}: {count} tokens").format(name=name, count=tokens)
                _add(window, menu, words, partial(have, window, wanted=without(today, [node_id])))
    _add_elsewhere(window, menu)
    return menu


def _menu(window: MainWindow) -> QMenu:
    menu = QMenu(window)
    menu.setObjectName("remedyMenu")
    return menu


def _add(window: MainWindow, menu: QMenu, words: str, act: Callable[[], None]) -> None:
    menu.addAction(words.replace("&", "&&"), lambda: window.run_command(lambda _: act()))


def _add_elsewhere(window: MainWindow, menu: QMenu) -> None:
    menu.addSeparator()
    _add(window, menu, tr("Choose another model…"), partial(choose_model, window))
    if not window.trying.is_on:
        _add(window, menu, tr("Try something else…"), window.trying.begin)


def _pop_up(menu: QMenu) -> None:
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(QCursor.pos())


def show_over_limit(window: MainWindow) -> None:
    """What can be taken from what is too long: the inspector, and a menu."""
    window.inspector_dock.show()
    window.inspector.show_context()
    menu, strip = over_limit_menu(window), window.text_pane.errors
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(strip.mapToGlobal(strip.rect().bottomLeft()))


# Elsewhere


def choose_model(window: MainWindow) -> None:
    """The list of models that can be asked, open."""
    window.header.agents.on_clicked()


def forget_choices(window: MainWindow) -> None:
    """Where the path takes a way that is none any more, it takes the newest version again."""
    document = window.document
    tree = document.tree
    sound = {
        target: source
        for target, source in tree.path.selections.items()
        if any(source in edge.with_role("primary") for edge in tree.incoming(target))
    }
    document.commit(edits.choose_path(tree, tree.path.leaf_id, document.pen(), sound))
