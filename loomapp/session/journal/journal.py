"""The journal: words that are no node yet are on disk within a second, and offered again after a crash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from loomapp.core.errors import GroveError
from loomapp.core.generation.answers import CrashedRun
from loomapp.core.model.change import Change
from loomapp.core.model.content import Block
from loomapp.core.model.entities import LoomTree
from loomapp.core.summarisers.changes import Candidates
from loomapp.session.context.pending_sources import Attached, pending_row
from loomapp.session.document import Document
from loomapp.session.journal.draft_queue import AnswerDrafts, DraftQueue
from loomapp.session.journal.left_drafts import GhostAnswer, LeftDrafts, offering_row
from loomapp.session.recovery import (
    ASIDE,
    BegunText,
    BehindText,
    ComposerDraft,
    Recovered,
    begun_row,
    begun_slot,
    behind_row,
    behind_slot,
    candidates_row,
    candidates_slot,
    composer_row,
    settings_row,
    words_of,
)
from loomapp.session.requests.generator import Generator
from loomapp.store.files import drafts
from loomapp.store.files.drafts import DraftRow, Slot
from loomapp.store.identity import new_id, now


class Journal(QObject):
    """Keeps the drafts of one grove. Make it once the grove is locked for this window: it takes over what is
    there. All methods belong to the GUI thread; a thread of its own does the writing.

    Nothing is kept of a grove that is open for reading only.
    """

    failed = Signal(object)  # GroveError: a draft is not on disk; it is kept in memory and tried again
    recovery_failed = Signal(object)  # LoomError: an answer of the last session could not be saved
    fault_ended = Signal()  # everything is on disk again
    written = Signal(object)  # Slot: the newest of it is on disk, or taken away

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        folder = drafts.drafts_folder(document.grove.path)
        self._composer: dict[str, ComposerDraft] = {}  # by tree
        self._left = LeftDrafts(document, folder, self._composer, self._forget, self._keep)
        self._composer.update(self._left.composers)
        self._coming = self._left.coming_ids
        self._offered: GhostAnswer | None = None  # what was offered last, without what was taken of it
        self._answers: AnswerDrafts | None = None
        self._queue = DraftQueue(None if document.grove.read_only else folder, self)
        self._queue.failed.connect(self.failed)
        self._queue.fault_ended.connect(self.fault_ended)
        self._queue.written.connect(self.written)

    # Keeping drafts

    def coming_id(self, slot: Slot) -> str:
        """The id that the node of a draft is to have. It is kept with the draft, so that one which is still
        on disk when the process dies right after the commit is known to be in the file, however old it is.
        A node that was undone keeps its own.
        """
        known, tree = self._coming.get(slot), self._document.tree
        if known is None or known in tree.nodes or tree.was_here(known):
            known = self._coming[slot] = new_id()
        return known

    def keep_composer(
        self,
        tree_id: str,
        text: str,
        base_id: str,
        blocks: tuple[Block, ...] = (),
        answer_id: str = "",
    ) -> None:
        """Note what stands in the composer; nothing at all says that it was committed or thrown away. It
        continues the base, or the answer to that beside which it is typed, once that is a node.
        """
        slot = Slot(tree_id, "composer")
        known = self._composer.get(tree_id) or ComposerDraft("", base_id, answer_id=answer_id)
        was = (known.text, known.base_id, known.blocks, known.answer_id)
        if (text, base_id, blocks, answer_id) == was:
            return
        if not text and not blocks:
            self._forget(slot)
            return
        draft = ComposerDraft(text, base_id, now(), blocks, self.coming_id(slot), answer_id)
        self._composer[tree_id] = draft
        self._queue.note(slot, partial(composer_row, tree_id, draft))

    def composer_text(self, tree_id: str) -> str:
        """The text that stands, or last stood, in the composer of a tree."""
        draft = self._composer.get(tree_id)
        return "" if draft is None else draft.text

    def composer_answer(self, tree_id: str) -> str:
        """The answer that the words in the composer of a tree are to continue; "" for none."""
        draft = self._composer.get(tree_id)
        return "" if draft is None else draft.answer_id

    def keep_behind(self, behind: BehindText) -> None:
        """Note words behind an answer that is no node yet."""
        slot = behind_slot(behind.tree_id, behind.answer_id)
        self._left.drop(slot)
        self._queue.note(slot, partial(behind_row, replace(behind, becomes=self.coming_id(slot))))

    def behind_ended(self, tree_id: str, answer_id: str) -> None:
        """Forget words behind an answer: they are in the file, or were taken back."""
        self._forget(behind_slot(tree_id, answer_id))

    def behind_goes_on(self, tree_id: str, answer_id: str, text: str, base_id: str) -> None:
        """Keep words that were behind an answer as a composer's, after a node. They are on disk as that
        before they are no more what they were; and whatever the process dies between, their node has one id.
        """
        slot, composer = behind_slot(tree_id, answer_id), Slot(tree_id, "composer")
        if text:
            self._coming[composer] = self.coming_id(slot)
            self.keep_composer(tree_id, text, base_id)
            self._queue.write(composer)
        self._forget(slot)

    def keep_begun(self, begun: BegunText) -> None:
        """Note an edit or a note as it is being written."""
        slot = begun_slot(begun)
        self._left.drop(slot)
        self._queue.note(slot, partial(begun_row, replace(begun, becomes=self.coming_id(slot))))

    def begun_ended(self, begun: BegunText) -> None:
        """Forget an edit or a note: it is saved, or not wanted."""
        self._forget(begun_slot(begun))

    def keep_offering(self, offered: GhostAnswer) -> None:
        """Note an answer that is only offered after a text, and how much of it was taken. The path that is
        read again if nothing is taken is written at once: the request that had it before is forgotten once
        its answer is a node.
        """
        slot = Slot(offered.tree_id, "ghost")
        self._queue.note(slot, partial(offering_row, offered, now()))
        about = replace(offered, taken="")
        if about != self._offered:
            self._offered = about
            self._queue.write(slot)

    def offering_ended(self, tree_id: str) -> None:
        """Forget an answer that is offered no more; what was taken of it is in the file."""
        self._forget(Slot(tree_id, "ghost"))

    def keep_settings(self, loom: LoomTree, fields: Mapping[str, object]) -> None:
        """Note settings that are typed and not yet saved; `loom` is the tree as it is saved."""
        if fields:
            self._queue.note(Slot(loom.id, "settings"), partial(settings_row, loom, dict(fields), now()))
        else:
            self.settings_saved(loom.id)

    def settings_saved(self, tree_id: str) -> None:
        """Forget typed settings: they are in the file, or were taken back."""
        self._forget(Slot(tree_id, "settings"))

    def contested_settled(self, tree_id: str) -> None:
        """Forget settings that another hand changed since they were typed: they were taken all the same, and
        are on disk as typed now, or were thrown away.
        """
        self._queue.write(Slot(tree_id, "settings"))
        self._forget(Slot(tree_id, "settings", ASIDE))

    def keep_attached(self, tree_id: str, roles: Mapping[str, Attached]) -> None:
        """Note the sources attached to the coming generation of a tree; none: they were sent or removed."""
        slot = Slot(tree_id, "sources")
        self._left.drop(slot)
        if roles:
            self._queue.note(slot, partial(pending_row, tree_id, dict(roles), now()))
        else:
            self._forget(slot)

    def keep_candidates(self, candidates: Candidates) -> None:
        """Note candidates of a summary; none: one was taken, or they were put away."""
        slot = candidates_slot(candidates)
        self._left.drop(slot)
        if candidates.items:
            self._queue.note(slot, partial(candidates_row, candidates, now()))
        else:
            self._forget(slot)

    def follow(self, generator: Generator) -> None:
        """Note every answer that is being written from now on, until it is saved."""
        self._answers = AnswerDrafts(generator, self._queue, self)
        generator.proposals.restore(self._left.proposals)

    # Recovery

    @property
    def unreadable(self) -> GroveError | None:
        """The reason why nothing can be offered again; None if there is none."""
        return self._left.unreadable

    def recover_runs(self) -> list[Change]:
        """Save the answers that the last session did not; see `LeftDrafts.save_answers`. Tells
        `recovery_failed` of each that cannot be saved.
        """
        return self._left.save_answers(self.recovery_failed.emit)

    def save_left_answers(self) -> list[Change]:
        """Save the answers of command lines that broke off while this window is open, likewise."""
        return self._left.save_answers_left_since(self.recovery_failed.emit)

    def recovered(self, tree_id: str) -> Recovered:
        """The words that the last session left unsaved in a tree. Raises: GroveError if it cannot be read."""
        return self._left.recovered(tree_id)

    def stray(self, tree_id: str) -> tuple[CrashedRun, ...]:
        """Return the answers that hang on nothing in a tree any more. Raises: GroveError likewise."""
        return self._left.stray(tree_id)

    def dismiss(self, run: CrashedRun) -> None:
        """Forget an answer that hangs on nothing any more: the user has seen it."""
        self._forget(Slot(run.tree_id, "run", run.run_id))

    # Writing

    @property
    def is_faulty(self) -> bool:
        return self._queue.is_faulty

    @property
    def is_writing(self) -> bool:
        return self._queue.is_writing

    @property
    def is_settled(self) -> bool:
        return self._queue.is_settled

    def write_now(self) -> None:
        self._queue.write_now()

    def retry(self) -> None:
        self._queue.retry()

    def settle(self, timeout_s: float) -> bool:
        """Write what is left, and wait for so long; True if everything that was noted is on disk."""
        self._note_answers()
        return self._queue.settle(timeout_s)

    def unsafe_text(self) -> str:
        """The words that are not on disk, of every tree."""
        return "\n\n".join(text for row in self._queue.unwritten() if (text := words_of(row)))

    def close(self) -> None:
        """Write what is left and end; see `DraftQueue.close`."""
        self._note_answers()
        self._queue.close()

    def _note_answers(self) -> None:
        if self._answers is not None:
            self._answers.note()

    def _keep(self, row: DraftRow) -> None:
        """Write a draft at once: another may be forgotten for it."""
        self._queue.note(row.slot, lambda: row)
        self._queue.write(row.slot)

    def _forget(self, slot: Slot) -> None:
        """Take a draft away: it is in the file or not wanted, and must not be offered again."""
        if slot.kind == "composer":
            self._composer.pop(slot.tree_id, None)
        elif slot.kind == "ghost":
            self._offered = None
        self._left.drop(slot)
        self._coming.pop(slot, None)
        self._queue.forget(slot)
