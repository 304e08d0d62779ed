"""Chips of what was shortened in a context, on messages, cards and rows: their popover."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.ui.commands import remedies
from loomapp.ui.inspector.preview import ContextPreview
from loomapp.ui.widgets.shortened_popover import ShortenedPopover
from loomapp.ui.widgets.words.shortened_words import facts_of
from loomapp.ui.workbench import Workbench


def wire(bench: Workbench) -> None:
    bench.views.dialogue.shortened_asked.connect(partial(_ask_on_message, bench))
    bench.views.graph.shortened_asked.connect(partial(_ask_on_card, bench))
    wire_preview(bench, bench.views.inspector.context)
    bench.views.text_pane.preview_came.connect(partial(wire_preview, bench))


def wire_preview(bench: Workbench, preview: ContextPreview) -> None:
    def ask(node_id: str, place: QRect) -> None:
        shown = preview.rows.shown
        if shown is not None:
            _open(bench, shown.assembled, node_id, place, can_send_in_full=preview.past is None)

    preview.rows.shortened_asked.connect(ask)


def _ask_on_message(bench: Workbench, node_id: str, chip: QWidget) -> None:
    place = QRect(chip.mapToGlobal(QPoint(0, 0)), chip.size())
    if bench.work.preview.last is not None:
        _open(bench, bench.work.preview.last, node_id, place)


def _ask_on_card(bench: Workbench, node_id: str, place: QRect) -> None:
    if bench.work.preview.last is not None:
        _open(bench, bench.work.preview.last, node_id, place)


def _open(
    bench: Workbench, assembled: Assembled, node_id: str, place: QRect, *, can_send_in_full: bool = True
) -> None:
    """Open the popover of a node; the keyboard comes back to where it was when that is shut."""
    node = bench.work.document.tree.nodes.get(node_id)
    facts = None if node is None else facts_of(assembled, node)
    if facts is None:
        return
    can_edit = can_send_in_full and not bench.work.document.grove.read_only
    popover = ShortenedPopover(facts, bench.views.window, can_send_in_full=can_edit)
    popover.full_asked.connect(partial(_send_in_full, bench))
    popover.open_below(place)


def _send_in_full(bench: Workbench, node_id: str) -> None:
    bench.frame.run_command(lambda w: remedies.mend(w, node_id, "sendInFull"))
