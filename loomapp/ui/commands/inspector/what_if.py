"""Contexts of what-if: trying others in a window, generating with them, and making one of them permanent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

from PySide6.QtCore import QObject, Qt

from loomapp.core.context.plain_text import side_by_side
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.sent.inputs import Inputs, inputs_of
from loomapp.core.sent.replay import Variant
from loomapp.core.sent.trial import (
    EconomyStage,
    is_only_another_summary,
    with_nodes,
    with_note,
    with_pruned,
    without,
)
from loomapp.providers.registry import rules_for
from loomapp.ui.commands import availability, remedies, send
from loomapp.ui.commands.inspector.comparison import desk_of
from loomapp.ui.inspector.comparison import Side
from loomapp.ui.strings import tr
from loomapp.ui.widgets.words.outcome_words import name_of
from loomapp.ui.workbench import Workbench

HIGH_ENOUGH_PX = 460  # of the inspector: rows and what of them can be otherwise


class WhatIfInspector(QObject):
    """Joins the variants that are tried to the inspector."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._low_px = 0  # height of an inspector that was made higher for what is tried
        context, trying = bench.views.inspector.context, bench.work.what_if
        trying.changed.connect(self.show)
        bench.views.composer.count_changed.connect(self.show)
        context.trial_panel.chosen.connect(trying.choose)
        context.trial_panel.edited.connect(trying.put)
        context.trial_panel.act_asked.connect(self.on_panel_act)
        context.trial_panel.stage_switched.connect(self.on_stage_switched)
        context.trial_panel.summary_chosen.connect(trying.use_summary)
        context.trial_bar.act_asked.connect(self.on_bar_act)
        context.switch_asked.connect(self.on_switched)

    def show(self) -> None:
        bench = self._bench
        context, trying, question = (
            bench.views.inspector.context,
            bench.work.what_if,
            bench.work.preview.question,
        )
        shown = trying.shown
        self._fit(is_trying=trying.is_on)
        name = question.agent.name if question is not None else ""
        asked = len(bench.work.preview.outcomes)
        context.show_trying(trying, name, asked)
        if shown is not None:
            context.trial_bar.show_trial(
                shown.variant.name if shown.variant is not None else "",
                variants=len(trying.variants),
                models=asked,
                count=bench.views.composer.count,
                can_send=shown.assembled is not None,
                can_write=not bench.work.document.grove.read_only,
                is_otherwise=shown.variant is not None and not shown.variant.is_as_today,
                is_asked_only=is_only_another_summary(trying.outcomes[0].inputs, shown.inputs),
                why_not=availability.why_no_generate(bench),
            )
        bench.actions.refresh()

    def _fit(self, *, is_trying: bool) -> None:
        """Make a low inspector higher while something is tried, and as high as before afterwards."""
        height_px = self._bench.views.inspector.height()
        if is_trying and not self._low_px and height_px < HIGH_ENOUGH_PX:
            self._low_px = height_px
            self._resize(HIGH_ENOUGH_PX)
        elif not is_trying and self._low_px:
            self._resize(self._low_px)
            self._low_px = 0

    def _resize(self, height_px: int) -> None:
        dock = self._bench.views.inspector_dock
        self._bench.views.window.resizeDocks([dock], [height_px], Qt.Orientation.Vertical)

    def on_panel_act(self, act: str) -> None:
        trying = self._bench.work.what_if
        if act == "add":
            trying.add()
        else:
            trying.remove(trying.chosen)

    def on_stage_switched(self, stage: str, is_on: bool) -> None:
        """Send with a stage of economy, or without it, in the variant that is looked at."""
        known: tuple[EconomyStage, ...] = get_args(EconomyStage)
        self._bench.work.what_if.switch(known[known.index(stage)], is_on=is_on)

    def on_bar_act(self, act: str) -> None:
        bench = self._bench
        bench.views.inspector.context.trial_panel.flush()
        passages = {
            "generate": generate_shown,
            "generateAll": generate_all,
            "makeSo": make_so,
            "compare": compare,
            "leave": leave,
        }
        bench.frame.run_command(passages[act])

    def on_switched(self, node_id: str, is_on: bool) -> None:
        """Send a message, or leave it out, in the variant that is looked at."""
        self._bench.work.what_if.settle()
        shown = self._bench.work.what_if.shown
        if shown is not None:
            self._bench.work.what_if.put(self._switched(shown.inputs, node_id, is_on))

    def _switched(self, inputs: Inputs, node_id: str, is_on: bool) -> Inputs:
        tree, shown = self._bench.work.document.tree, self._bench.work.what_if.shown
        is_note = bool(tree.annotation_edges_into(node_id))
        here = frozenset(self._bench.work.preview.ahead.standing_for(node_id))
        if not is_on and here & (self._bench.work.what_if.outcomes[0].inputs.pruned - inputs.pruned):
            return replace(inputs, pruned=inputs.pruned | here)  # as it is in the tree
        if not is_on:
            is_sent_as_note = is_note and node_id in inputs.included
            return with_note(inputs, node_id, False) if is_sent_as_note else without(inputs, here)
        fate = None if shown is None or shown.assembled is None else shown.assembled.fates.get(node_id)
        if fate == "instruction_without_system":
            return replace(inputs, buffer_system_context=True)
        inputs = with_pruned(with_nodes(inputs, here), here)
        return with_note(inputs, node_id, True) if is_note else inputs


def begin(bench: Workbench) -> None:
    bench.views.pages.show_graph()
    bench.frame.bring_inspector()
    bench.views.inspector.context.show_past(None)
    bench.views.inspector.show_context()
    bench.work.what_if.begin()
    bench.views.inspector.context.rows.setFocus()
    bench.views.announcer.say(tr("Trying something else; the tree stays as it is."))


def leave(bench: Workbench) -> None:
    bench.views.inspector.context.trial_panel.forget_typed()
    bench.work.what_if.leave()


def is_trying(bench: Workbench) -> bool:
    return bench.work.what_if.is_on


def toggle(bench: Workbench) -> None:
    leave(bench) if bench.work.what_if.is_on else begin(bench)


def generate_shown(bench: Workbench) -> None:
    shown = bench.work.what_if.shown
    if shown is not None and shown.variant is not None:
        _generate(bench, (shown.variant,))


def generate_all(bench: Workbench) -> None:
    _generate(bench, bench.work.what_if.variants)


def _generate(bench: Workbench, variants: Sequence[Variant]) -> None:
    """Commit what is written, as Generate does, and ask every model that is checked for as many answers of
    each variant.

    Raises: LoomError if one of them can't be sent; then nothing is asked.
    """
    if bench.work.preview.question is None:
        return
    bench.views.pages.flush()
    send.refuse_unseen(bench)
    send.refuse_here(bench)
    bench.work.what_if.refuse(variants)
    document, place = bench.work.document, bench.text.make_ready(partial(_generate, bench, variants))
    if place is None:
        return
    sources = bench.work.preview.pending.sources(place.node_id)
    now = {
        variant.name: variant for variant in bench.work.what_if.variants
    }  # what was written is nodes by now
    variants = [now.get(variant.name, variant) for variant in variants]
    trials = []
    for agent in document.agents.asked():
        question = AskedQuestion(
            agent,
            sources,
            defaults=document.context_defaults,
            media=document.media,
            calls=document.calls.calls(document.context_defaults, document.path.nodes),
            now=document.calls.now,
            estimator=document.counts.estimator(document.tree, sources.primary_id, None, agent.model_ref),
        )
        known = rules_for(agent.model_ref or "")
        today = inputs_of(document.tree, question, known)
        trials += [(agent, variant.trial(document.tree, today, question, known)) for variant in variants]
    start = partial(bench.work.generator.try_out, trials, sources, bench.views.composer.count)
    place.ask(start, sources)


def make_so(bench: Workbench) -> None:
    """The tree sends it this way from now on, as one step of undo; nothing is tried any more."""
    bench.work.what_if.settle()
    shown, question = bench.work.what_if.shown, bench.work.preview.question
    if shown is None or question is None:
        return
    today = bench.work.what_if.outcomes[0].inputs
    leave(bench)
    remedies.make_so(bench, bench.work.document.agents.asked(), today, shown.inputs)


def compare(bench: Workbench) -> None:
    """Compare the contexts of the variants word by word with each other and with the tree as it is."""
    bench.work.what_if.settle()
    question, node = (
        bench.work.preview.question,
        bench.work.document.tree.nodes[bench.work.document.current_id],
    )
    if question is None:
        return
    found = [(one.variant, one.assembled) for one in bench.work.what_if.outcomes if one.assembled is not None]
    texts = side_by_side([assembled for _, assembled in found])
    sides = [
        Side(node.id, node.local_id, question.agent, name_of(variant), "", text)
        for (variant, _), text in zip(found, texts, strict=True)
    ]
    desk_of(bench).show_texts(sides)
