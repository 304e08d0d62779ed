"""Pointer over a buffer: a passage and its card light up together, with the name of its author."""

from __future__ import annotations

from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.widgets.tips import plain_tip
from loomapp.ui.workbench import Workbench


class Pointing:
    """Pointer shared by the text of a buffer and the graph."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._bench = bench
        self._desk = desk

    def on_node_picked(self, position: int) -> None:
        passage = self._desk.buffer_text.passage_at(position)
        node_id = passage.node_id or self._bench.work.document.path_ids[-1]
        with self._desk.place.moving():
            self._bench.work.document.place.set_current(node_id)
        self._bench.views.graph.ensure_visible(node_id)

    def on_pointed(self, position: int) -> None:
        """Light up the passage under the pointer in the graph, and say its author."""
        if not self._desk.is_on:
            return
        node_id = ""
        if position >= 0:
            node_id = self._desk.buffer_text.passage_at(position).node_id or ""
        self._bench.views.graph.set_hovered(node_id)
        self._desk.view.editor.viewport().setToolTip(plain_tip(self._desk.view.colouring.name_at(position)))

    def set_hovered(self, node_id: str) -> None:
        if not self._desk.is_on:
            return
        place = self._desk.buffer_text.place_of(node_id) if node_id else None
        self._desk.view.margins.set_hovered("" if place is None else node_id)
