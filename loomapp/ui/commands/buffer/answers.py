"""Answers at the end of a buffer: what streams or is offered there, and the writer's place beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.prose.buffer_text import TextChange
from loomapp.core.summarisers.changes import UNSPACED
from loomapp.session.requests.running_request import RunningRequest
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.buffer.tail import offers_of_drafts
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

LONGEST_WORD = 40
LETTERS = rf"[^\W\d_{UNSPACED}]+"


def words_met(text: str, at: int) -> str:
    """Return the two words that meet at a place of a text; nothing if there are no two, in a script that puts
    no space between words, or where they are one word that stands before: it was begun, and ended.
    """
    before = re.search(rf"{LETTERS}\Z", text[:at][-LONGEST_WORD:])
    after = re.match(LETTERS, text[at : at + LONGEST_WORD])
    if before is None or after is None:
        return ""
    both = before[0] + after[0]
    stands = re.compile(rf"\b{re.escape(both)}\b", re.IGNORECASE)
    return "" if stands.search(text, 0, at - len(before[0])) else both


class AnswersAtEnd:
    """Of one desk: shows its tail after the end of the text. The caret is before, within or behind it."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._desk, self._bench = desk, bench
        self._told = ""  # of words that met; it is about the text that is shown
        bench.work.document.tree_opened.connect(lambda _: self.forget_seam())

    def forget_seam(self) -> None:
        """Take back what was said of a seam: another text is shown."""
        if self._told:
            self._bench.views.text_pane.errors.drop(self._told)
            self._told = ""

    def on_landed(self, flight: RunningRequest) -> None:
        """Say where a model that was told to continue began without a space, and offer to put one there: its
        words stay as they are. One that goes on with the text itself may have ended a word.
        """
        document, messages = self._bench.work.document, flight.request.messages
        told_to = bool(messages) and messages[-1].role == "user"
        if not (self._desk.is_on and told_to and flight.tree is document.tree):
            return
        node_id = next((one for one in flight.ids.values() if one in document.path), "")
        if node_id and (words := self._words_met(node_id)):
            said = tr("“{words}”: the answer began without a space.").format(words=words)
            step = partial(self._put_space, node_id)
            self.forget_seam()
            self._told = said
            self._bench.frame.offer(said, tr("Put one there"), step)

    def _words_met(self, node_id: str) -> str:
        """Return the two words that meet where a passage begins; nothing if there are no two."""
        buffer_text = self._desk.buffer_text
        place = buffer_text.place_of(node_id)
        if place is None:
            return ""
        return words_met(buffer_text.text, buffer_text.passage(place).start)

    def _put_space(self, node_id: str) -> None:
        """Write a space where a passage begins, as a person would; the caret stays at its words."""
        if not self._desk.is_on or not self._words_met(node_id):
            return
        editor, buffer_text = self._desk.view.editor, self._desk.buffer_text
        place = buffer_text.place_of(node_id)
        assert place is not None, "words meet there"
        at, caret = buffer_text.passage(place).start, editor.caret
        editor.set_caret(at)
        editor.put(" ")
        editor.set_caret(caret + (caret >= at))

    # Showing

    def show_drafts(self, drafts: tuple[LiveDraft, ...]) -> None:
        if not self._desk.is_on:
            return
        leaf = self._bench.work.document.path_ids[-1]
        live = offers_of_drafts(drafts, leaf)
        self._desk.ghosts.refresh(live, leaf)
        self.show()

    def drafts_grew(self, drafts: Iterable[LiveDraft]) -> None:
        """Show more text of some drafts; the end is followed while it is in view."""
        if not self._desk.is_on:
            return
        drafts = tuple(drafts)
        self._desk.filling.drafts_grew(drafts)
        leaf = self._bench.work.document.path_ids[-1]
        grown = {live.key: live for live in drafts if live.parent_id == leaf}
        if grown:
            tail = self._desk.tail
            tail.grew(grown)
            if tail.shown is not None and tail.shown.key in grown:
                self.show()

    def show(self) -> None:
        desk, view, tail = self._desk, self._desk.view, self._desk.tail
        followed = view.editor.is_end_in_view
        had_words, is_behind = bool(desk.writing.working_text), view.editor.is_in_tail
        desk.writing.beside.set_followed(tail.awaited_id)
        if is_behind and not had_words:  # who looked at another answer goes on where he wrote
            view.editor.put_caret_behind(self._length_behind)
        with desk.place.moving():
            view.editor.set_tail(tail.runs(view.colouring), desk.buffer_text.end)
        view.editor.is_waiting = tail.follows
        desk.filling.show()
        is_growing = any(offer.grows for offer in tail.offers)
        count, has_next = len(tail.offers) if tail.is_ghost else 0, not desk.ghosts.why_no_next
        view.show_ghost(count, has_next=has_next, grows=is_growing)
        if followed and view.editor.tail_text:
            view.editor.show_end()
        view.margins.place_soon()
        desk.ghosts.keep()
        offered = tail.shown.key if tail.is_ghost and tail.shown is not None else ""
        self._bench.views.side_parts.outline.rows.set_offered(offered)

    def choose(self, key: str) -> None:
        """Look at another one of the answers that stream; the path will go on with it."""
        self._desk.tail.choose(key)
        self._bench.work.generator.answers.read_draft(key)
        self._bench.views.graph.set_read_draft(key)
        self.show()

    # The writer beside it

    @property
    def start(self) -> int:
        """The place in the text of an answer that is only shown: before words that wait for it, also while
        the answer is a node just now and shown still.
        """
        editor, buffer_text = self._desk.view.editor, self._desk.buffer_text
        waits = bool(buffer_text.awaited) or editor.tail_at < len(editor.text)
        return buffer_text.length - (len(buffer_text.working.text) if waits else 0)

    @property
    def _length_behind(self) -> int:
        return self._desk.buffer_text.length - self.start

    def stay_behind(self, by: int) -> None:
        """Put the caret so far behind an answer that is being written, or is a node now."""
        self._desk.view.editor.put_caret_behind(min(by, self._length_behind))

    def behind_after(self, splice: TextChange) -> int | None:
        """Return how far behind an answer the caret stands between the same letters once words there are
        others; None if nothing is changed there.
        """
        editor = self._desk.view.editor
        at, by = editor.tail_at, editor.behind_by
        is_there = at <= splice.start <= splice.end <= at + (by or 0)
        if by is None or not self._desk.buffer_text.awaited or not is_there:
            return None
        return by + len(splice.text) - (splice.end - splice.start)

    def go_behind(self) -> None:
        """Show what was asked for just now, and have the caret behind it, if it is to be read on."""
        desk, work = self._desk, self._bench.work
        editor = desk.view.editor
        self.show_drafts(work.generator.drafts(work.document.tree.loom.id))
        if editor.is_waiting and editor.tail_text:
            with desk.place.moving():
                self.stay_behind(self._length_behind)
            desk.writing.beside.stand_behind(is_behind=True)
            editor.show_end()

    def on_about_to_write(self) -> None:
        """Prepare for typing; if words wait behind another one of the answers, the writer goes on with them
        there.
        """
        desk, editor = self._desk, self._desk.view.editor
        if not (editor.is_waiting and editor.is_in_tail) or desk.writing.working_text:
            return
        for offer in desk.tail.offers:
            if offer.live is not None and desk.writing.beside.has_words_behind(offer.live.node_id):
                self.choose(offer.key)
                self._bench.frame.note(tr("You go on with the words that you began after this answer."))
                return

    def on_waited(self) -> None:
        words, key = tr("This answer is being written. Its words can be deleted once it has ended."), ""
        if key := self._bench.actions.key("stop"):
            words = tr(
                "This answer is being written. Its words can be deleted once it has ended; {key} stops it."
            )
        self._bench.frame.note(words.format(key=key))
