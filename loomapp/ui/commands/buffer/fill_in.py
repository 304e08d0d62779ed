"""Filling in at the caret: who can, what would be sent, and a strip below the text while it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject

from loomapp.core.errors import InvalidInput, LoomError
from loomapp.core.generation.assemble_request import fills_in
from loomapp.core.generation.drafts import LiveDraft, failed_count
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.prose.fill_in import gap_of
from loomapp.providers.registry import rules_for
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.commands import send
from loomapp.ui.commands.send import act_on_draft
from loomapp.ui.dialogue.script.entries import Halt, halt_of, named_halt
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.workbench import Workbench

SHOWN_CHARACTERS = 160  # of what is being written: its end
PLACE_CHARACTERS, PLACE_WORDS = 60, 3  # of what stands before it
NOBODY = "No ticked model is known to fill in. File → Agents tells which do; you can say there that one does."


class Filling(QObject):
    """Fill-in at the caret. While `is_on`, Generate does so where the caret is within the text."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._desk = desk
        self.is_on = False
        self._shown = ""  # the key of the draft that the strip tells of

    @property
    def is_meant(self) -> bool:
        """True where Generate would fill in."""
        desk = self._desk
        if not self.is_on or not desk.is_on or self._bench.work.what_if.is_on or not fillers(self._bench):
            return False
        # A card beside the text.
        if self._bench.work.document.current_id not in self._bench.work.document.path:
            return False
        return 0 < desk.view.editor.caret < desk.buffer_text.end

    def ask(self) -> None:
        """A gap at the caret, and what is to stand there asked of those of the checked models that can.

        Raises: LoomError, and then nothing is asked and no gap is left.
        """
        desk, bench = self._desk, self._bench
        desk.ghosts.settle()
        agents = fillers(bench)
        if not agents:
            raise InvalidInput(tr(NOBODY))
        with desk.place.moving():
            gap = desk.continuation.fill_at(desk.view.editor.caret)
        self._ask(gap.above_id, gap.gap_id, gap.action, agents, is_new=gap.change is not None)

    def ask_again(self, gap_id: str, above_id: str) -> None:
        agents = fillers(self._bench)
        if not agents:
            raise InvalidInput(tr(NOBODY))
        self._ask(above_id, gap_id, "", agents, is_new=False)

    def _ask(
        self, above_id: str, gap_id: str, action: str, agents: tuple[Agent, ...], *, is_new: bool
    ) -> None:
        bench = self._bench
        sources = replace(bench.work.preview.pending.sources(above_id), gap_id=gap_id)
        try:
            send.ask_model(bench, sources, sends_pending=True, agents=agents, action=action)
        except LoomError:
            if is_new:
                bench.work.document.history.undo(bench.work.generator.answers.guard_undo)
            raise
        if said := _who(bench, agents):
            bench.frame.note(said)

    # The strip

    def show(self) -> None:
        """Tell why an answer failed that this text was to go on with, at its end or in its middle: of the one
        that is shown, also why it waits; else of what fills a gap, and what came of that so far.
        """
        desk, document = self._desk, self._bench.work.document
        drafts = self._bench.work.generator.drafts(document.tree.loom.id)
        here = [live for live in drafts if live.parent_id in document.path]
        shown = [offer.live for offer in (desk.tail.shown,) if offer is not None and offer.live is not None]
        halted = [live for live in shown if halt_of(live.draft) is not None]
        failed = [live for live in here if live.draft.error is not None]
        growing = [live for live in here if live.gap_id is not None and not live.draft.ended]
        live = next(iter((*halted, *failed, *growing)), None)
        self._shown = "" if live is None else live.key
        if live is None:
            desk.view.show_filling(None)
            return
        above = document.tree.nodes[live.parent_id]
        halt = named_halt(live, document.agents.by_id(), failed_count(here))
        desk.view.show_filling(halt or _growing(live, unsteered(_end(above.text))))

    def drafts_grew(self, drafts: Iterable[LiveDraft]) -> None:
        if any(live.key == self._shown for live in drafts):
            self.show()

    def on_committed(self, change: Change) -> None:
        """Writing goes on after what was filled in, where nobody went elsewhere meanwhile."""
        desk, document = self._desk, self._bench.work.document
        current = document.current_id
        if not desk.is_on or all(node.id != current for node in change.added_nodes()):
            return
        place = document.path.place_of(current)
        if place is None or gap_of(document.tree, current) is None:
            return
        passage = desk.buffer_text.passage(place)
        with desk.place.moving():
            desk.view.editor.set_caret(passage.end)
        desk.view.editor.bring_into_view(passage.start, passage.end)
        desk.place.show()

    def on_act(self, act: str) -> None:
        key = self._shown
        if key:
            self._bench.frame.run_beside_text(lambda bench: act_on_draft(bench, key, act))


def fillers(bench: Workbench) -> tuple[Agent, ...]:
    """Return those of the checked agents whose models are known to fill in."""
    try:
        asked = bench.work.document.agents.asked()
        return tuple(agent for agent in asked if fills_in(rules_for(agent.model_ref or "")))
    except LoomError:  # endpoints that can't be read: asking says why
        return ()


def can_fill_in(bench: Workbench) -> bool:
    return bench.buffer.is_on and not bench.work.document.grove.read_only and bool(fillers(bench))


def fill_in(bench: Workbench) -> None:
    bench.buffer.filling.ask()


def toggle(bench: Workbench) -> None:
    """Let Generate fill in where the caret is within the text, or not; the request is previewed at once."""
    filling = bench.buffer.filling
    filling.is_on = not filling.is_on
    bench.buffer.place.show()
    if filling.is_on:
        said = tr("Within the text Generate fills in now; the inspector shows what it would send.")
        bench.frame.note(" ".join(filter(None, (said, _who(bench, fillers(bench))))))
    else:
        bench.frame.note(tr("Generate continues from the caret again."))


def _who(bench: Workbench, agents: tuple[Agent, ...]) -> str:
    """Return the names of the models that fill in, where more are checked; "" if all of them do."""
    count = len(bench.work.document.agents.asked())
    if len(agents) == count:
        return ""
    said = tr("Of {count} ticked models {number} fills in: {names}.")
    if len(agents) > 1:
        said = tr("Of {count} ticked models {number} fill in: {names}.")
    return said.format(count=count, number=len(agents), names=", ".join(agent.name for agent in agents))


def is_on(bench: Workbench) -> bool:
    return bench.buffer.filling.is_on


def _end(text: str) -> str:
    """Return the last words of a text, to name the place that is filled in."""
    last = text[-PLACE_CHARACTERS:].split()
    words = " ".join(last[-PLACE_WORDS:])
    return words if len(words) == len(text.strip()) else f"…{words}"


def _growing(live: LiveDraft, place: str) -> Halt:
    words = " ".join(live.draft.text.split())
    words = "…" + words[-SHOWN_CHARACTERS:] if len(words) > SHOWN_CHARACTERS else words
    said = tr("Filling in after “{place}”: {words}") if words else tr("Filling in after “{place}”…")
    return Halt(said.format(place=place, words=words), (("stop", tr("Stop")),), "progress")
