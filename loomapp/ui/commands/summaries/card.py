"""Cards of the summaries of the path that is read: among its messages, edited, made again, deleted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer

from loomapp.core.economy.coverage import AnchoredSummary, flags_of, summaries_on, what_changed
from loomapp.core.errors import LoomError
from loomapp.core.model.entities import ContextSummary
from loomapp.core.summarisers import changes
from loomapp.core.summarisers.changes import Candidates, Omission, omissions, take
from loomapp.core.summarisers.plan import SummaryPlan, plan_at
from loomapp.session.background.background_work import BackgroundTask
from loomapp.session.requests.open_summaries import economy_of, summarising_agent
from loomapp.session.requests.summariser import RunningSummary, SummaryFailure
from loomapp.ui import figures
from loomapp.ui.commands.save import save
from loomapp.ui.commands.summaries import card_facts, conversation
from loomapp.ui.dialogue.summary.between import PlacedCard
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.dialogue.summary.card import SummaryCard
    from loomapp.ui.dialogue.summary.progress import SummaryFailureCard, SummaryProgress

MOST_SEARCHED = 2_000_000  # characters of covered messages in which names are looked for
SECOND_MS = 1_000


class PathSummaries(QObject):
    """Keeps the cards of the summaries that are anchored on the path: the one in use, those nearer to its end
    that are not, and one that is being made.
    """

    def __init__(self, bench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._bench = bench
        self._cards: dict[tuple[str, str], SummaryCard] = {}  # by tree and the key of the row
        self._progress: SummaryProgress | None = None
        self._failure: SummaryFailureCard | None = None
        self._known: tuple[object, ...] = ()
        self._words = card_facts.KnownWords()
        self._found: list[AnchoredSummary] = []
        self._used = ("", "")  # the summary that was in use when it was looked at last
        self._told = ""  # of one that is out of date
        self._looking: BackgroundTask | None = None
        self._seconds = QTimer(self)
        self._seconds.setInterval(SECOND_MS)
        self._seconds.timeout.connect(self.on_second)
        preview, document = bench.work.preview, bench.work.document
        for changed in (preview.assembled, preview.failed, document.tree_opened, document.calls.came):
            changed.connect(lambda *_: self.show())
        bench.work.generator.summaries.changed.connect(self.show)
        bench.work.generator.summaries.cut_short.connect(self.on_cut_short)
        bench.work.generator.candidates.changed.connect(self.on_candidates)
        bench.work.generator.candidates.failed.connect(bench.frame.show_error)
        bench.views.dialogue.covered_shown.connect(self.show)
        bench.views.graph.bracket_clicked.connect(self.on_bracket_clicked)
        bench.views.dialogue.summarise_asked.connect(self.on_summarise_asked)
        document.leaving.connect(bench.views.dialogue.between.save)
        bench.unfinished.writings.card_wanted.connect(self.on_card_wanted)

    def show(self) -> None:
        bench, document = self._bench, self._bench.work.document
        dialogue = bench.views.dialogue
        if not document.has_tree:
            self._put([], "")
            bench.views.graph.set_bracket(None)
            return
        used = card_facts.used_key(bench)
        found = self._summaries()
        last = max((i for i, one in enumerate(found) if one.row.key == used), default=None)
        shown = found[-1:] if last is None else found[last:]
        placed: list[PlacedCard] = []
        for one in shown:
            card = self._made(one.row.key)
            is_other = card.text != one.text
            is_used = one.row.key == used
            card.show_summary(
                card_facts.shown_summary(
                    bench, self._words, one, is_used=is_used, shows_covered=dialogue.shows_covered
                )
            )
            if is_other and card.has_candidates:  # they are told by what the saved summary has not
                card.show_candidates(card_facts.shown_candidates(bench, one.row.key))
            placed.append(PlacedCard(one.row.anchor_node_id, card))
        running = self._running()
        if running is not None:
            placed.append(PlacedCard(running.plan.anchor_node_id, self._shown_progress(running)))
        failed = conversation.given_up(bench) if running is None else None
        if failed is not None and failed.anchor_node_id in document.path:
            placed.append(PlacedCard(failed.anchor_node_id, self._shown_failure(failed)))
        covered = "" if last is None else found[last].row.anchor_node_id
        self._put(placed, covered)
        bench.views.graph.set_bracket(None if last is None else card_facts.bracket(found[last]))
        self._tell_stale(used, found)

    def _tell_stale(self, used: str, found: Sequence[AnchoredSummary]) -> None:
        """Say that the summary that was in use is out of date: its card may be far from what is read."""
        errors, before, self._used = self._bench.views.text_pane.errors, self._used, self._place(used)
        stale = next((one for one in found if self._place(one.row.key) == before and not one.is_valid), None)
        if stale is not None and not used:
            said = self._words.changed(self._bench, stale)
            words = tr("{said}. The summary is not used: the original messages are sent.")
            self._told = words.format(said=said)
            show = partial(self.on_bracket_clicked, stale.row.anchor_node_id)
            self._bench.frame.offer(self._told, tr("Show the summary"), show)
        elif used and self._told:
            errors.drop(self._told)
            self._told = ""

    def on_cut_short(self, row: ContextSummary) -> None:
        """Say that the end of a summary is missing, where it is of the path that is read."""
        if row.anchor_node_id in self._bench.work.document.path:
            said = tr("The summary was cut off at the end.")
            self._bench.frame.offer(said, tr("Make again"), partial(self.on_act, row.key, "again"))

    def _put(self, placed: Sequence[PlacedCard], covered: str) -> None:
        dialogue = self._bench.views.dialogue
        dialogue.set_covered(covered, shown=dialogue.shows_covered and bool(covered))
        dialogue.set_cards(placed)
        kept = {one.card for one in placed}
        for key in [key for key, card in self._cards.items() if card not in kept]:
            self._cards.pop(key).deleteLater()
        if self._progress is not None and self._progress not in kept:
            self._seconds.stop()
            self._progress.deleteLater()
            self._progress = None
        if self._failure is not None and self._failure not in kept:
            self._failure.deleteLater()
            self._failure = None

    def _shown_failure(self, failed: SummaryFailure) -> SummaryFailureCard:
        if self._failure is None:
            from loomapp.ui.dialogue.summary.progress import SummaryFailureCard  # late, as it is made

            self._failure = SummaryFailureCard(self._bench.views.dialogue.viewport())
            self._failure.retry_asked.connect(self.on_summarise_asked)
        self._failure.show_words(conversation.given_up_words(self._bench, failed))
        return self._failure

    def _summaries(self) -> list[AnchoredSummary]:
        """The summaries of the path; found again where it, its nodes or they changed."""
        document = self._bench.work.document
        tree, path = document.tree, document.path
        known = (tree, path, tree.touches.mark, tuple(tree.context_summaries.values()))
        if known != self._known:
            self._known, self._found = known, summaries_on(tree, path)
            self._words.clear()
        return self._found

    def card_of(self, anchor_id: str) -> SummaryCard | None:
        """The card of the summary that is anchored at a node, if it is shown."""
        found = (self._place(one.row.key) for one in self._found if one.row.anchor_node_id == anchor_id)
        return next((self._cards[place] for place in found if place in self._cards), None)

    def _place(self, key: str) -> tuple[str, str]:
        return self._bench.work.document.tree.loom.id, key

    def _made(self, key: str) -> SummaryCard:
        place = self._place(key)
        if place not in self._cards:
            from loomapp.ui.dialogue.summary.card import SummaryCard  # late, as it is made

            card = self._cards[place] = SummaryCard(self._bench.views.dialogue.viewport())
            card.text_left.connect(self.on_text_left)
            card.typed.connect(self._bench.unfinished.writings.on_card_typed)
            card.act_asked.connect(self.on_act)
            card.opened.connect(self.on_opened)
            card.head.clicked.connect(partial(self._bring_into_view, card))
            candidates, box = self._bench.work.generator.candidates, card.candidates
            box.turned.connect(partial(candidates.turn, place))
            box.typed.connect(partial(candidates.edit, place))
            box.take_asked.connect(lambda: self._bench.frame.run_command(partial(_take, key=key)))
            box.away_asked.connect(lambda: candidates.put_away(place))
            card.show_candidates(card_facts.shown_candidates(self._bench, key))
        return self._cards[place]

    def _bring_into_view(self, card: SummaryCard) -> None:
        """Scroll till a card that was opened is seen, of a high one the beginning."""
        dialogue = self._bench.views.dialogue
        dialogue.bring_into_view(card)
        if card.height() >= dialogue.viewport().height():
            bar = dialogue.verticalScrollBar()
            bar.setValue(bar.value() + card.y())

    def on_candidates(self, candidates: Candidates) -> None:
        card = self._cards.get(candidates.place)
        if card is not None and candidates.place == self._place(candidates.key):
            card.show_candidates(card_facts.shown_candidates(self._bench, candidates.key))

    # One that is being made

    def _running(self) -> RunningSummary | None:
        document = self._bench.work.document
        return self._bench.work.generator.summaries.under_way(document.tree.loom.id, document.path)

    def _shown_progress(self, running: RunningSummary) -> SummaryProgress:
        if self._progress is None:
            from loomapp.ui.dialogue.summary.progress import SummaryProgress  # late, as it is made

            self._progress = SummaryProgress(self._bench.views.dialogue.viewport())
            self._progress.stop_asked.connect(self.on_stop)
            self._progress.send_asked.connect(self.on_send_anyway)
            self._seconds.start()
        count, portion = figures.number(running.plan.covered_messages), running.portion
        title = tr("Summarising {count} messages").format(count=count)
        part = running.agent.name
        if portion.count > 1:
            words = tr("part {number} of {count} · {name}")
            part = words.format(number=portion.number, count=portion.count, name=running.agent.name)
        waits = running.origin == "blocking" and running.send_anyway is not None
        self._progress.show_progress(title, part, portion.number - 1, portion.count, waits_for=waits)
        self.on_second()
        return self._progress

    def on_second(self) -> None:
        running = self._running()
        if self._progress is not None and running is not None:
            self._progress.show_seconds(int(time.monotonic() - running.began_s))

    def on_stop(self) -> None:
        running = self._running()
        if running is not None:
            self._bench.work.generator.summaries.stop(running)

    def on_send_anyway(self) -> None:
        running = self._running()
        if running is not None and running.send_anyway is not None:
            running.send_anyway()

    # What was asked for

    def on_summarise_asked(self) -> None:
        """Make a summary in place of messages that have no room."""
        self._bench.frame.run_command(conversation.compact_path)

    def on_bracket_clicked(self, anchor_id: str) -> None:
        """Go to the card of a summary, and open it."""
        card, dialogue, path = (
            self.card_of(anchor_id),
            self._bench.views.dialogue,
            self._bench.work.document.path,
        )
        place = path.place_of(anchor_id)
        if card is None or place is None:
            return
        self._bench.frame.bring_text()
        if place + 1 < len(path.node_ids):
            dialogue.reveal(path.node_ids[place + 1])
        card.set_open(True)
        dialogue.bring_into_view(card)
        card.head.setFocus(Qt.FocusReason.OtherFocusReason)

    def on_card_wanted(self, key: str) -> None:
        """Go on in a card with the words that were begun there. They wait on where it is not shown."""
        self.show()  # the path may be another one since it was looked at
        card, writings = self._cards.get(self._place(key)), self._bench.unfinished.writings
        row, begun = self._bench.work.document.tree.context_summaries.get(key), writings.text_of("card", key)
        if row is None or card is None or begun is None:
            self._bench.frame.note(tr("Another summary is in use, so this one has no card here."))
            return
        writings.open_again("card", key)
        self.on_bracket_clicked(row.anchor_node_id)
        card.go_on(begun)

    def on_text_left(self, key: str, text: str) -> None:
        self._bench.frame.run_beside_text(lambda w: save.save_card(w, key, text))

    def on_act(self, key: str, act: str) -> None:
        if act == "covered":
            dialogue = self._bench.views.dialogue
            row = self._bench.work.document.tree.context_summaries.get(key)
            if row is not None:
                dialogue.set_covered(row.anchor_node_id, shown=not dialogue.shows_covered)
                self.show()
                if dialogue.shows_covered:
                    dialogue.reveal(row.anchor_node_id)
            return
        self._bench.frame.run_command(partial(_act, key=key, act=act))

    def on_opened(self, key: str) -> None:
        """Show the words that wait for the field; look for names, numbers and phrases of the covered messages
        that a summary lacks, beside the window.
        """
        document = self._bench.work.document
        card, begun = self._cards.get(self._place(key)), self._bench.unfinished.writings.text_of("card", key)
        if card is not None and begun is not None and not card.has_typed:
            card.field.show_text(begun)  # who writes here goes on with the words that wait
        one = next((one for one in self._summaries() if one.row.key == key), None)
        if one is None:
            return
        if self._looking is not None:
            self._looking.cancel()
        covered = document.path.nodes[: one.place + 1]
        texts = tuple(node.text for node in covered if not flags_of(node.metadata))
        if sum(map(len, texts)) > MOST_SEARCHED:
            return
        self._looking = BackgroundTask(lambda _tell: omissions(texts, one.text), self)
        self._looking.done.connect(partial(self._on_omissions, self._place(key)))
        self._looking.failed.connect(_on_no_omissions)
        self._looking.start()

    def _on_omissions(self, place: tuple[str, str], found: list[Omission]) -> None:
        card = self._cards.get(place)
        if card is not None and card.is_open:
            card.show_omissions(found)
            if card.head.hasFocus():  # it was just opened, and is higher now
                self._bring_into_view(card)

    def close(self) -> None:
        """End what is looked for: the window closes."""
        self._seconds.stop()
        if self._looking is not None:
            self._looking.end()


def _on_no_omissions(_: LoomError) -> None:
    """Show none: the summary is as good as it was."""


def _act(bench: Workbench, key: str, act: str) -> None:
    """Make a summary again, use it as it is, show what changed, or delete it. Raises: LoomError."""
    document = bench.work.document
    row = document.tree.context_summaries.get(key)
    if row is None:
        return
    match act:
        case "again":
            conversation.start_by_hand(bench, _plan_again(bench, row))
        case "candidates":
            economy = economy_of(document)
            plan = _plan_again(bench, row)
            agent = summarising_agent(document, economy, document.agents.asked()[0])
            bench.work.generator.candidates.ask(plan, agent, economy)
        case "use":
            change = changes.use_as_it_is(document.tree, document.path, key, document.pen())
            document.commit(change, keeps_current=True)
        case "delete":
            document.commit(changes.delete(document.tree, key, document.pen()), keeps_current=True)
        case "changed":
            _show_changed(bench, key)


def _plan_again(bench: Workbench, row: ContextSummary) -> SummaryPlan:
    """Plan a summary anew where one is anchored. Raises: AssemblyError."""
    document, leaf_id = bench.work.document, bench.work.document.path_ids[-1]
    least = economy_of(document).min_recent_messages
    return plan_at(document.tree, row.anchor_node_id, least, again=True, leaf_id=leaf_id)


def _take(bench: Workbench, key: str) -> None:
    """Save the candidate that is shown in place of a summary, and put the others away. Raises: LoomError."""
    document, candidates = bench.work.document, bench.work.generator.candidates
    place = document.tree.loom.id, key
    held, row = candidates.of(place), document.tree.context_summaries.get(key)
    if held is None or row is None:
        return
    change = take(document.tree, _plan_again(bench, row), held, document.pen())
    if change is not None:
        document.commit(change, keeps_current=True)
        candidates.put_away(place)


def _show_changed(bench: Workbench, key: str) -> None:
    """Go to the first message that changed since a summary was made."""
    document = bench.work.document
    changed = what_changed(document.tree, document.path, document.tree.context_summaries[key])
    ids = [node_id for found in changed.node_ids.values() for node_id in found]
    here = next((node_id for node_id in ids if node_id in document.path), None)
    if here is not None:
        bench.views.dialogue.reveal(here)
        bench.views.dialogue.set_hovered(here)
    elif ids and ids[0] in document.tree.nodes:
        bench.views.graph.ensure_visible(ids[0])
