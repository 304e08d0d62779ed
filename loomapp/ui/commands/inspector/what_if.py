"""What if: trying other contexts in a window, generating with them, and making one of them so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from loomapp.core.context.plain_text import side_by_side
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.sent.inputs import Inputs, inputs_of
from loomapp.core.sent.trial import with_nodes, with_note, with_pruned, without
from loomapp.core.sent.variant import Variant
from loomapp.providers.registry import rules_for
from loomapp.ui.commands import send
from loomapp.ui.commands.buffer import passages
from loomapp.ui.commands.comparison import desk_of
from loomapp.ui.commands.inspector import remedies
from loomapp.ui.commands.save import save
from loomapp.ui.comparison.column import Side
from loomapp.ui.inspector.words.variant_words import name_of
from loomapp.ui.strings import tr

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

HIGH_ENOUGH_PX = 460  # of the inspector: rows and what of them can be otherwise


class WhatIf(QObject):
    """Joins what is tried to the inspector."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        context, trying = window.inspector.context, window.trying
        trying.changed.connect(self.show)
        window.composer.count_changed.connect(self.show)
        context.trial_panel.chosen.connect(trying.choose)
        context.trial_panel.edited.connect(trying.put)
        context.trial_panel.act_asked.connect(self.on_panel_act)
        context.trial_bar.act_asked.connect(self.on_bar_act)
        context.switch_asked.connect(self.on_switched)

    def show(self) -> None:
        """What is tried, in the inspector."""
        window = self._window
        context, trying, question = window.inspector.context, window.trying, window.preview.question
        shown = trying.shown
        name = question.agent.name if question is not None else ""
        asked = len(window.preview.outcomes)
        context.show_trying(trying, name, asked)
        if shown is not None:
            context.trial_bar.show_trial(
                shown.variant.name if shown.variant is not None else "",
                variants=len(trying.variants),
                models=asked,
                count=window.composer.count,
                can_send=shown.assembled is not None,
                can_write=not window.document.grove.read_only,
                is_otherwise=shown.variant is not None and not shown.variant.is_as_today,
            )
        window.actions_set.refresh()

    def on_panel_act(self, act: str) -> None:
        """Another variant, or one less."""
        trying = self._window.trying
        if act == "add":
            trying.add()
        else:
            trying.remove(trying.chosen)

    def on_bar_act(self, act: str) -> None:
        """What is to be done with what is tried."""
        window = self._window
        window.inspector.context.trial_panel.flush()
        passages = {
            "generate": generate_shown,
            "generateAll": generate_all,
            "makeSo": make_so,
            "compare": compare,
            "leave": leave,
        }
        window.run_command(passages[act])

    def on_switched(self, node_id: str, is_on: bool) -> None:
        """A message is to be sent, or not, in the variant that is looked at."""
        self._window.trying.settle()
        shown = self._window.trying.shown
        if shown is not None:
            self._window.trying.put(self._switched(shown.inputs, node_id, is_on))

    def _switched(self, inputs: Inputs, node_id: str, is_on: bool) -> Inputs:
        tree, shown = self._window.document.tree, self._window.trying.shown
        is_note = bool(tree.annotation_edges_into(node_id))
        here = frozenset(self._window.preview.ahead.standing_for(node_id))
        if not is_on and here & (self._window.trying.outcomes[0].inputs.pruned - inputs.pruned):
            return replace(inputs, pruned=inputs.pruned | here)  # as it is in the tree
        if not is_on:
            is_sent_as_note = is_note and node_id in inputs.included
            return with_note(inputs, node_id, False) if is_sent_as_note else without(inputs, here)
        fate = None if shown is None or shown.assembled is None else shown.assembled.fates.get(node_id)
        if fate == "instruction_without_system":
            return replace(inputs, buffer_system_context=True)
        inputs = with_pruned(with_nodes(inputs, here), here)
        return with_note(inputs, node_id, True) if is_note else inputs


def begin(window: MainWindow) -> None:
    """Try another context in the inspector; the tree stays as it is."""
    dock = window.inspector_dock
    window.pages.show_graph()
    dock.show()
    window.inspector.context.show_past(None)
    window.inspector.show_context()
    if window.inspector.height() < HIGH_ENOUGH_PX:
        window.resizeDocks([dock], [HIGH_ENOUGH_PX], Qt.Orientation.Vertical)
    window.trying.begin()
    window.inspector.context.rows.setFocus()
    window.announcer.say(tr("Trying something else; the tree stays as it is."))


def leave(window: MainWindow) -> None:
    """Nothing is tried any more."""
    window.inspector.context.trial_panel.forget_typed()
    window.trying.leave()


def is_trying(window: MainWindow) -> bool:
    """True while something is tried."""
    return window.trying.is_on


def toggle(window: MainWindow) -> None:
    """Begin to try something, or leave it."""
    leave(window) if window.trying.is_on else begin(window)


def generate_shown(window: MainWindow) -> None:
    """Continue with the variant that is looked at."""
    shown = window.trying.shown
    if shown is not None and shown.variant is not None:
        _generate(window, (shown.variant,))


def generate_all(window: MainWindow) -> None:
    """Continue with every variant."""
    _generate(window, window.trying.variants)


def _generate(window: MainWindow, variants: Sequence[Variant]) -> None:
    """Commit what is written, as Generate does, and ask every model that is checked for as many answers of
    each variant.

    Raises: LoomError if one of them can't be sent; then nothing is asked.
    """
    if window.preview.question is None:
        return
    window.pages.flush()
    send.refuse_unseen(window)
    window.trying.refuse(variants)
    document, going = window.document, None
    save.settle_edit(window, document.current_id)
    if window.buffer.is_on:
        going = passages.make_ready(window.buffer)
        at = going.node_id
    elif save.save_message(window, partial(_generate, window, variants)):
        at = document.current_id
        document.read(at)
    else:
        return
    sources = window.preview.pending.sources(at)
    now = {variant.name: variant for variant in window.trying.variants}  # what was written is nodes by now
    variants = [now.get(variant.name, variant) for variant in variants]
    trials = []
    for agent in document.asked_agents():
        question = AskedQuestion(agent, sources, defaults=document.context_defaults, media=document.media)
        today = inputs_of(document.tree, question, rules_for(agent.model_ref or ""))
        trials += [(agent, variant.trial(document.tree, today)) for variant in variants]
    start = partial(window.generator.try_out, trials, sources, window.composer.count)
    if going is not None:
        passages.ask_or_offer(window.buffer, going, start, sources)
    else:
        send.send(window, start, partial(window.preview.pending.sent, sources))


def make_so(window: MainWindow) -> None:
    """The tree sends it this way from now on, as one step of undo; nothing is tried any more."""
    window.trying.settle()
    shown, question = window.trying.shown, window.preview.question
    if shown is None or question is None:
        return
    today = window.trying.outcomes[0].inputs
    leave(window)
    remedies.make_so(window, window.document.asked_agents(), today, shown.inputs)


def compare(window: MainWindow) -> None:
    """What each variant sends, word by word beside the others and beside the tree as it is."""
    window.trying.settle()
    question, node = window.preview.question, window.document.tree.nodes[window.document.current_id]
    if question is None:
        return
    found = [(one.variant, one.assembled) for one in window.trying.outcomes if one.assembled is not None]
    texts = side_by_side([assembled for _, assembled in found])
    sides = [
        Side(node.id, node.local_id, question.agent, name_of(variant), "", text)
        for (variant, _), text in zip(found, texts, strict=True)
    ]
    desk_of(window).show_texts(sides)
