"""Ghosts: answers that are only offered after the end of the text, until they are taken or dismissed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer

from loomapp.core.generation.answers import Sources
from loomapp.core.model.entities import ActivePath, verbatim
from loomapp.core.uncommitted_tree import Offered, ReadAgain, TakenSoFar, TakenUpTo
from loomapp.session.journal.left_drafts import GhostAnswer
from loomapp.session.restored import read_again, read_way_again
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.buffer.tail import GhostOffer, offers_of_nodes
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.buffer.view import BufferView


class Ghosts(QObject):
    """Answers that were asked for with the ghost preview on. All of them are in the tree as they come, taken
    or not: dismissing a ghost loses nothing.
    """

    def __init__(self, desk: TextDesk, view: BufferView, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._desk, self._view = desk, view
        self._runs: frozenset[str] = frozenset()  # the requests whose answers are ghosts
        self._put_by: frozenset[str] = frozenset()  # those whose ghosts were put away while they grew
        self._before: frozenset[str] = frozenset()  # what continued it before
        self._leaf = ""  # what they continue
        self._kept: GhostAnswer | None = None  # in the journal
        self._is_waiting = False  # until it is asked for
        self._before_asking: tuple[ActivePath, int] | None = None  # what was read then, and the caret in it
        self.went_along: Sources | None = None  # with the request
        self._bench.work.generator.started.connect(self.on_started)
        view.editor.ghost_key.connect(self.act)
        view.ghost_bar.asked.connect(self.act)
        view.editor.about_to_write.connect(self.settle)
        self._bench.work.document.leaving.connect(desk.settle_ghost)
        self._bench.work.document.moving.connect(self.on_moving)

    @property
    def is_on(self) -> bool:
        return self._desk.tail.is_ghost and bool(self._desk.tail.offers)

    def is_offered(self, key: str) -> bool:
        """Tell whether the draft of this key is one of those on offer: it ends when the offer does."""
        return self.is_on and key.rpartition(":")[0] in self._runs

    def expect(self, leaf_id: str) -> None:
        """Only offer the answers that are asked for next."""
        children = self._bench.work.document.tree.children(leaf_id)
        self._runs, self._before, self._leaf = frozenset(), frozenset(children), leaf_id
        self._is_waiting, self.went_along = True, None
        focused = self._bench.views.composer.focusWidget()
        if focused is not None and focused.hasFocus():
            # Else the keys that are named below the ghost would be the button's.
            self._view.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def remember(self, path: ActivePath, caret: int) -> None:
        self._before_asking = (path, caret)
        self.keep()

    def keep(self) -> None:
        """Write to the journal, while anything is offered, what was taken and what is read if it is not."""
        tree_id, journal = self._bench.work.document.tree.loom.id, self._bench.unfinished.writings.journal
        offering = self._offering()
        if journal is None or offering == self._kept:
            return
        if offering is not None:
            journal.keep_offering(offering)
        elif self._kept is not None and self._kept.tree_id == tree_id:
            journal.offering_ended(tree_id)
        self._kept = offering

    def _offering(self) -> GhostAnswer | None:
        offer, before, document = self._desk.tail.shown, self._before_asking, self._bench.work.document
        if not self.is_on or offer is None or (before is None and not self._desk.tail.taken):
            return None
        node_id, taken = "" if offer.live else offer.key, offer.text[: self._desk.tail.taken]
        back = None if before is None else before[0]
        return GhostAnswer(document.tree.loom.id, document.path_ids[-1], node_id, taken, back)

    def on_started(self) -> None:
        if self._is_waiting:
            self._is_waiting, self._runs = False, frozenset(self._bench.work.generator.asked_last())

    def on_moving(self) -> None:
        """Commit words that were taken before another path is read, or a step is made."""
        if self._desk.tail.taken:
            self._desk.settle_ghost()

    def refresh(self, live: tuple[GhostOffer, ...], leaf_id: str) -> None:
        """Set what stands after the end: drafts and ghosts of this path."""
        tail = self._desk.tail
        self._settle_if_gone(leaf_id)
        if self._leaf and leaf_id != self._leaf:
            self._forget()
        live = tuple(offer for offer in live if _run_of(offer) not in self._put_by)
        ghosts = tuple(offer for offer in live if _run_of(offer) in self._runs)
        tree = self._bench.work.document.tree
        came = [i for i in tree.living_children(leaf_id) if i not in self._before] if self._leaf else []
        if self._leaf and (ghosts or came or self._is_waiting):
            failed = [
                offer for offer in ghosts if offer.live is not None and offer.live.draft.error is not None
            ]
            if failed and len(failed) == len(ghosts) and not came:
                self._forget()
                tail.set_offers(live, is_ghost=False)
                return
            nodes = offers_of_nodes(tree, came, leaf_id)
            tail.set_offers((*nodes, *(g for g in ghosts if g not in failed)), is_ghost=True)
        else:
            tail.set_offers(live, is_ghost=False)

    def _settle_if_gone(self, leaf_id: str) -> None:
        """Settle a shown answer that another program took away, or whose passage it changed, once that is
        told.
        """
        desk, offer, before = self._desk, self._desk.tail.shown, self._before_asking
        if not self.is_on or offer is None or offer.live is not None:
            return
        if leaf_id == self._leaf and offer.key in self._bench.work.document.tree.living_children(leaf_id):
            return
        back = None if before is None else before[0]
        gone = GhostAnswer(self._bench.work.document.tree.loom.id, leaf_id, offer.key, offer.text, back)
        QTimer.singleShot(0, self, partial(self._settle_gone, gone, desk.tail.taken))
        self._forget()
        desk.tail.clear()

    def _settle_gone(self, gone: GhostAnswer, taken: int) -> None:
        document, back = self._bench.work.document, gone.back
        if document.tree.loom.id != gone.tree_id or document.path_ids[-1] != gone.end_id:
            return

        def settle(_bench: object) -> None:
            if taken and gone.node_id in document.tree.nodes:
                self._desk.passages.take_up_to(gone.node_id, taken, back)
            elif back is not None:
                read_again(document, document.tree, back, (gone.end_id,))

        with self._desk.place.kept(*self._view.editor.cursor_with(taken)):
            self._bench.frame.run_beside_text(settle)

    # What is done with them.

    def act(self, act: str) -> None:
        match act:
            case "accept":
                self._bench.frame.run_beside_text(lambda _: self.accept())
            case "word":
                self.take_word()
            case "next":
                self.step(1)
            case "previous":
                self.step(-1)
            case "dismiss":
                self.dismiss()

    def choose(self, key: str) -> None:
        """Look at another one; words that were taken of the one before are settled first. While that grows
        they are only remembered.
        """
        shown = self._desk.tail.shown
        if self._desk.tail.taken and shown is not None and shown.live is None:
            self._bench.frame.run_beside_text(lambda _: self.settle())
            return
        editor, tail = self._view.editor, self._desk.tail
        end = len(editor.text) + tail.taken
        is_behind = editor.cursor_with(tail.taken) == (end, end)
        tail.choose(key)
        self._desk.answers.show()
        if is_behind:  # who stands behind what he took of one stands behind what he took of the other
            with self._desk.place.moving():
                editor.put_caret_in_tail(tail.taken)
        self._desk.place.show()

    @property
    def why_no_next(self) -> str:
        """The reason why no other offer can be shown, for people; empty if one can."""
        tail = self._desk.tail
        if len(tail.offers) < 2:
            return tr("There is no other answer on offer.")
        if tail.taken and tail.shown is not None and tail.shown.live is None:
            return tr("Words of this answer are taken: no other one is on offer beside it.")
        return ""

    def step(self, by: int) -> None:
        """Show the next or previous offer, after the last the first; or say why there is none."""
        offers, why_not = self._desk.tail.offers, self.why_no_next
        if why_not:
            self._bench.frame.note(why_not)
        else:
            self.choose(offers[(self._desk.tail.index + by) % len(offers)].key)

    def take_word(self) -> None:
        """Take the next word of the offer; with the last, the answer is taken."""
        tail, editor = self._desk.tail, self._view.editor
        offer = tail.shown
        if offer is None:
            return
        taken = tail.take_word()
        if taken >= len(offer.text) and not offer.grows:
            self._bench.frame.run_beside_text(lambda _: self.accept())
            return
        self._desk.answers.show()
        with self._desk.place.moving():
            editor.put_caret_in_tail(taken)
        self._desk.place.show()

    def accept(self) -> None:
        """Take all of the one that is shown: the path goes on through it. One that still grows goes on doing
        so, as any answer."""
        offer = self._desk.tail.shown
        if offer is None:
            return
        self._forget()
        if offer.live is not None:
            self._bench.work.generator.answers.read_draft(offer.key, follows=True)
            self._desk.tail.set_offers(self._desk.tail.offers, is_ghost=False)
            self._desk.tail.choose(offer.key)
            self._desk.answers.show()
            return
        self._desk.tail.clear()
        self._desk.read_on(offer.key)
        self._desk.place.to_end()

    def settle(self) -> None:
        """Nothing is offered any more. Words that were taken become a passage: the answer is split there. One
        that still grows is stopped for that, and kept in the tree as far as it came. With nothing taken, the
        text is as it was before it was asked for. The caret and what is selected stay: who writes elsewhere
        writes there.
        """
        tail = self._desk.tail
        if not self.is_on:
            return
        offer, taken = tail.shown, tail.taken
        node_id, (anchor, caret) = None, self._view.editor.cursor_with(taken)
        if offer is not None and taken:
            node_id = offer.key if offer.live is None else self._node_so_far(offer)
            if node_id is None:
                self.accept()  # it could not be saved: all of it waits for that
                return
        before = self._before_asking
        self._put_by |= self._runs
        self._forget()
        tail.clear()
        if node_id is not None:
            back = None if before is None else before[0]
            with self._desk.place.kept(anchor, caret):
                self._desk.passages.take_up_to(node_id, taken, back)
        elif not taken and before is not None:
            self._read_again(*before)
        self._desk.answers.show()

    def settle_for_command(self) -> None:
        """Settle, and what a command is about stays what it is about: a node that was chosen elsewhere than
        at the caret is current still. Raises: LoomError.
        """
        document, place = self._bench.work.document, self._desk.place
        chosen = document.current_id
        is_at_caret = chosen == place.node_at_caret
        self.settle()
        if not is_at_caret and chosen in document.tree.nodes:
            document.place.set_current(chosen)
            place.reveal_start(chosen)

    def once_settled(self) -> tuple[Offered | None, int]:
        """Return the offered answer as `settle` will leave it, None if that changes nothing of the text, and
        the caret's place then.
        """
        tail, editor, before = self._desk.tail, self._view.editor, self._before_asking
        offer, taken = tail.shown, tail.taken
        if not self.is_on or offer is None:
            return None, editor.caret
        if taken:
            caret = editor.cursor_with(taken)[1]
            if offer.live is None:
                return TakenUpTo(offer.key, taken), caret
            flights = self._bench.work.generator.answers.flights()
            flight = next(flight for flight in flights if flight.key == _run_of(offer))
            return TakenSoFar(offer.text[:taken], flight.sources), caret
        if before is None or before[0] == self._bench.work.document.tree.path:
            return None, editor.caret
        return ReadAgain(before[0]), self._cursor_before(before[1])[1]

    def _cursor_before(self, caret: int) -> tuple[int, int]:
        """Anchor and caret in what was read before asking, where the caret stood then: who went nowhere since
        is there again.
        """
        cursor, end = self._view.editor.cursor_with(0), len(self._view.editor.text)
        return (caret, caret) if cursor == (end, end) else cursor

    def _node_so_far(self, offer: GhostOffer) -> str | None:
        """The node that an answer becomes that grows no more; None if it becomes none."""
        tree, leaf_id = self._bench.work.document.tree, self._bench.work.document.path_ids[-1]
        before = frozenset(tree.children(leaf_id))
        self._bench.work.generator.stop_request(offer.key)
        for node_id in tree.children(leaf_id):
            node = tree.nodes[node_id]
            is_its = node.author_agent_id == offer.agent_id and verbatim(node).startswith(offer.text)
            if node_id not in before and is_its:
                return node_id
        return None

    def dismiss(self) -> None:
        """Put the offers away: on Esc, or when the option is switched off. If nothing was taken, what went
        along is attached again: the next request is the same one.
        """
        rejected = None if self._desk.tail.taken else self.went_along

        def put_away(bench: Workbench) -> None:
            self.settle()
            if rejected is not None:
                bench.work.preview.pending.attach_again(rejected)

        if self.is_on:
            self._bench.frame.run_beside_text(put_away)

    def _read_again(self, path: ActivePath, before: int) -> None:
        """Read again the path that was read before asking."""
        desk = self._desk
        if path == self._bench.work.document.tree.path:
            return
        with desk.place.kept(*self._cursor_before(before)):
            read_way_again(self._bench.work.document, path)

    def _forget(self) -> None:
        self._runs, self._before, self._leaf, self._is_waiting = frozenset(), frozenset(), "", False
        self._before_asking = self.went_along = None


def _run_of(offer: GhostOffer) -> str:
    return offer.key.rpartition(":")[0]
