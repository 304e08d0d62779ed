"""The journal: words that are no node yet are on disk within a second, and offered again after a crash."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.crashed_run import CrashedRun, as_change, ends_of, has_sources
from loomapp.core.model.change import Change
from loomapp.core.model.content import Block
from loomapp.core.model.entities import LoomTree
from loomapp.core.model.tree import Tree
from loomapp.session.context.pending_sources import Attached, pending_roles, pending_row
from loomapp.session.document import Document
from loomapp.session.journal.ghost_answer import GhostAnswer, offering, offering_row, settle_left
from loomapp.session.recovery import (
    BegunText,
    BehindText,
    ComposerDraft,
    Recovered,
    becomes_of,
    begun_row,
    begun_slot,
    begun_text,
    behind_answer,
    behind_row,
    behind_slot,
    behind_text,
    composer_draft,
    composer_row,
    crashed_run,
    is_committed,
    is_saved_already,
    settings_draft,
    settings_row,
    words_of,
)
from loomapp.session.requests.generator import Generator
from loomapp.session.requests.running_request import RunningRequest, maker_of
from loomapp.session.restored_path import read_again
from loomapp.store.files import drafts
from loomapp.store.files.draft_claims import claimed, is_claimed
from loomapp.store.files.draft_writer import DraftWriter, Make
from loomapp.store.files.drafts import DraftRow, Slot
from loomapp.store.identity import new_id, now

PAUSE_MS = 250  # after the last key
CEILING_MS = 700  # after the first key that is not kept yet; what is left of the second is the disk's
LOOK_MS = 50  # while the writer is at work
RETRY_MS = 2000
CLOSE_S = 0.5  # a disk that hangs does not keep the window open
CUT_S = 0.02  # the text is cut in the file once the way back is on disk, or after so long


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
        self._generator: Generator | None = None
        self._folder = drafts.drafts_folder(document.grove.path)
        self.unreadable: GroveError | None = None  # why nothing can be offered again
        # As the last session left them. What is only read here may be in use by another window.
        self._rows = {} if document.grove.read_only else {row.slot: row for row in self._read()}
        self._composer = {
            r.slot.tree_id: composer_draft(r) for r in self._rows.values() if r.slot.kind == "composer"
        }
        self._coming = {slot: becomes for slot, row in self._rows.items() if (becomes := becomes_of(row))}
        self._wishes: dict[Slot, Make | None] = {}  # the newest of each, until it is on disk; None: gone
        self._due: set[Slot] = set()
        self._asked: dict[Slot, Make | None] = {}  # what the writer has in hand
        self._faulty: set[Slot] = set()
        self._offered: GhostAnswer | None = None  # what was offered last, without what was taken of it
        self._flights: dict[
            str, tuple[RunningRequest, tuple[object, ...]]
        ] = {}  # by run id, with its state when noted
        self._due_since = 0.0
        self._soon, self._look = QTimer(self), QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.write_now)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self.on_look)
        self._retry = QTimer(self)
        self._retry.setSingleShot(True)
        self._retry.setInterval(RETRY_MS)
        self._retry.timeout.connect(self.retry)
        self._writer = None if document.grove.read_only else DraftWriter(self._folder)

    # What is being written

    def coming_id(self, slot: Slot) -> str:
        """The id that the node of a draft is to have. It is kept with the draft, so that one which is still
        on disk when the process dies right after the commit is known to be in the file, however old it is.
        """
        known = self._coming.get(slot)
        if known is None or known in self._document.tree.nodes:
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
            self._composer.pop(tree_id, None)
            self._forget(slot)
            return
        draft = ComposerDraft(text, base_id, now(), blocks, self.coming_id(slot), answer_id)
        self._composer[tree_id] = draft
        self._note(slot, partial(composer_row, tree_id, draft))

    def composer_text(self, tree_id: str) -> str:
        """What stands, or last stood, in the composer of a tree."""
        draft = self._composer.get(tree_id)
        return "" if draft is None else draft.text

    def composer_answer(self, tree_id: str) -> str:
        """The answer that the words in the composer of a tree are to continue; "" for none."""
        draft = self._composer.get(tree_id)
        return "" if draft is None else draft.answer_id

    def keep_behind(self, behind: BehindText) -> None:
        """Note what is written behind an answer that is no node yet."""
        slot = behind_slot(behind.tree_id, behind.answer_id)
        self._rows.pop(slot, None)  # this is newer
        self._note(slot, partial(behind_row, replace(behind, becomes=self.coming_id(slot))))

    def behind_ended(self, tree_id: str, answer_id: str) -> None:
        """It is in the file, or was taken back."""
        self._forget(behind_slot(tree_id, answer_id))

    def behind_goes_on(self, tree_id: str, answer_id: str, text: str, base_id: str) -> None:
        """What was written behind an answer is written after a node now. It is on disk as that before it is
        no more what it was; and whatever the process dies between, its node has one id.
        """
        slot, composer = behind_slot(tree_id, answer_id), Slot(tree_id, "composer")
        if text:
            self._coming[composer] = self.coming_id(slot)
            self.keep_composer(tree_id, text, base_id)
            self._write(composer)
        self._forget(slot)

    def keep_begun(self, begun: BegunText) -> None:
        """Note an edit or a note as it is being written."""
        slot = begun_slot(begun)
        self._rows.pop(slot, None)  # this is newer
        self._note(slot, partial(begun_row, replace(begun, becomes=self.coming_id(slot))))

    def begun_ended(self, begun: BegunText) -> None:
        """It is saved, or not wanted."""
        self._forget(begun_slot(begun))

    def keep_offering(self, offered: GhostAnswer) -> None:
        """Note what is only offered after a text, and what was taken of it. What is read again if nothing is
        taken is written at once: the request that had it before is forgotten once its answer is a node.
        """
        slot = Slot(offered.tree_id, "ghost")
        self._note(slot, partial(offering_row, offered, now()))
        about = replace(offered, taken="")
        if about != self._offered:
            self._offered = about
            self._write(slot)

    def offering_ended(self, tree_id: str) -> None:
        """It is offered no more, and what was taken of it is in the file."""
        self._offered = None
        self._forget(Slot(tree_id, "ghost"))

    def keep_settings(self, loom: LoomTree, fields: Mapping[str, object]) -> None:
        """Note settings that are typed and not yet saved; `loom` is the tree as it is saved."""
        if fields:
            self._note(Slot(loom.id, "settings"), partial(settings_row, loom, dict(fields), now()))
        else:
            self.settings_saved(loom.id)

    def settings_saved(self, tree_id: str) -> None:
        """What was typed is in the file, or was taken back."""
        self._forget(Slot(tree_id, "settings"))

    def keep_attached(self, tree_id: str, roles: Mapping[str, Attached]) -> None:
        """Note what is attached to the coming generation of a tree; nothing: it was sent or taken away."""
        slot = Slot(tree_id, "sources")
        self._rows.pop(slot, None)  # this is newer
        if roles:
            self._note(slot, partial(pending_row, tree_id, dict(roles), now()))
        else:
            self._forget(slot)

    def follow(self, generator: Generator) -> None:
        """Note every answer that is being written from now on, until it is saved."""
        self._generator = generator
        generator.started.connect(self.on_started)
        generator.drafts_changed.connect(self.on_drafts_changed)
        generator.drafts_grew.connect(self.on_drafts_changed)

    def on_started(self) -> None:
        """Something is asked for. If the text is to be cut for it, what was read until then is to be on disk
        before that: the file knows nothing but the cut. The window waits for that as long as nobody feels it.
        """
        self.on_drafts_changed()
        cut = {
            Slot(flight.tree.loom.id, "run", run_id)
            for run_id, (flight, _) in self._flights.items()
            if flight.place.back is not None
        } & self._due
        for slot in cut:
            self._write(slot)
        until = time.monotonic() + CUT_S
        while cut & self._asked.keys() and time.monotonic() < until:
            time.sleep(0.001)
            self.on_look()

    def on_drafts_changed(self) -> None:
        """Answers came, grew or became nodes."""
        flights = {f.run.id: f for f in self._generator.flights()} if self._generator else {}
        for run_id, flight in flights.items():
            state = (*flight.drafts.values(), flight.read_index, flight.evidence)
            known = self._flights.get(run_id)
            if known is None or known[1] != state:
                self._flights[run_id] = (flight, state)
                self._note(Slot(flight.tree.loom.id, "run", run_id), maker_of(flight))
        for run_id in self._flights.keys() - flights.keys():
            flight, _ = self._flights.pop(run_id)
            self._forget(Slot(flight.tree.loom.id, "run", run_id))

    # What was left behind

    def recover_runs(self) -> list[Change]:
        """Save the answers that the last session did not, each as one Change; gives what was saved. Text that
        was cut for an answer is read again where no word of it came, or was taken of those that were offered.

        What cannot be saved stays in the journal. Tells `recovery_failed` why.
        """
        changes: list[Change] = []
        rows = [row for row in self._rows.values() if row.slot.kind == "run"]
        runs = [run for row in rows if (run := crashed_run(row)) is not None]
        # Of those that were asked together one may have text: the path goes on there.
        for run in sorted(runs, key=lambda run: not run.text):
            try:
                changes += self._recover(run)
            except LoomError as error:
                self.recovery_failed.emit(error)
        for offered in [one for row in self._rows.values() if (one := offering(row)) is not None]:
            try:
                settle_left(self._document, self._tree(offered.tree_id), offered)
                self.offering_ended(offered.tree_id)
            except LoomError as error:
                self.recovery_failed.emit(error)
        return changes

    def recovered(self, tree_id: str) -> Recovered:
        """What the last session left unsaved in a tree, for its places in the window.

        Raises: GroveError if the tree cannot be read.
        """
        tree = self._document.tree
        if tree.loom.id != tree_id:
            tree = self._document.grove.load_tree(tree_id)
        composer = self._composer.get(tree_id)
        if composer is not None and is_committed(tree, composer):
            self.keep_composer(tree_id, "", "")
            composer = None
        elif composer is not None:
            composer = behind_answer(tree, composer)
        typed = self._rows.get(Slot(tree_id, "settings"))
        settings = None if typed is None else settings_draft(typed, tree.loom)
        if typed is not None and settings is None:
            self.settings_saved(tree_id)
        rows = [row for row in self._rows.values() if row.slot.tree_id == tree_id]
        begun = [text for text in map(begun_text, rows) if text is not None]
        for text in [text for text in begun if is_saved_already(tree, text)]:
            begun.remove(text)
            self.begun_ended(text)
        behind = tuple(self._behind_left(tree, rows, "" if composer is None else composer.becomes))
        runs = [run for row in rows if row.slot.kind == "run" and (run := crashed_run(row)) is not None]
        stray = [run for run in runs if not has_sources(tree, run)]
        attached = self._rows.pop(Slot(tree_id, "sources"), None)  # from here on the window has it
        roles = {} if attached is None else pending_roles(attached)
        return Recovered(composer, settings, tuple(begun), tuple(stray), roles, behind)

    def dismiss(self, run: CrashedRun) -> None:
        """The user has seen an answer that hangs on nothing any more."""
        self._forget(Slot(run.tree_id, "run", run.run_id))

    # Writing

    @property
    def is_faulty(self) -> bool:
        """True while something could not be written."""
        return bool(self._faulty)

    @property
    def is_settled(self) -> bool:
        """True when all that was noted is on disk."""
        return not self._due and not self._asked and not self._faulty

    def write_now(self) -> None:
        """Hand what is due to the writer."""
        self._soon.stop()
        for slot in list(self._due):
            self._ask(slot)

    def retry(self) -> None:
        """Try again what could not be written; that is also tried every two seconds."""
        for slot in self._faulty & self._wishes.keys():
            self._ask(slot)

    def on_look(self) -> None:
        """See what became of the writing."""
        faults: list[GroveError] = []
        was_faulty = self.is_faulty
        for outcome in self._writer.outcomes() if self._writer else []:
            slot, is_newest = outcome.slot, self._wishes.get(outcome.slot) is outcome.make
            if self._asked.get(slot) is outcome.make:
                self._asked.pop(slot, None)
            if outcome.error is not None:
                faults.append(outcome.error)
                self._faulty.add(slot)
                continue
            self._faulty.discard(slot)
            if is_newest:
                self._wishes.pop(slot, None)
                self.written.emit(slot)
        if not self._asked:
            self._look.stop()
        if self._faulty and not self._retry.isActive():
            self._retry.start()
        if faults and not was_faulty:
            self.failed.emit(faults[0])
        elif was_faulty and not self._faulty:
            self.fault_ended.emit()

    def settle(self, timeout_s: float) -> bool:
        """Write what is left, and wait for so long; True if everything that was noted is on disk."""
        self.on_drafts_changed()
        self.write_now()
        until = time.monotonic() + timeout_s
        while self._asked and time.monotonic() < until:
            self.on_look()
            time.sleep(0.005)  # the window closes: nothing else may run before the words are on disk
        return self.is_settled

    def unsafe_text(self) -> str:
        """The words that are not on disk, of every tree."""
        rows = (make() for make in self._wishes.values() if make is not None)
        return "\n\n".join(text for row in rows if (text := words_of(row)))

    def close(self) -> None:
        """Write what is left and end; after half a second without it: quitting is always possible."""
        self.on_drafts_changed()
        self.write_now()
        for timer in (self._soon, self._look, self._retry):
            timer.stop()
        if self._writer is not None:
            self._writer.close(CLOSE_S)
            self._writer = None

    # Behind it

    def _read(self) -> list[DraftRow]:
        try:
            rows = drafts.read(self._folder)
            return [row for row in rows if not is_claimed(self._folder, row.slot)]
        except GroveError as error:
            self.unreadable = error
            return []

    def _recover(self, run: CrashedRun) -> list[Change]:
        slot = Slot(run.tree_id, "run", run.run_id)
        if not (self._folder / slot.claim_name).exists():  # no command line's: it is this window's alone
            return self._recover_ours(run, slot)
        with claimed(self._folder, slot) as is_ours:
            # A command line may be at it just now, or have been quicker.
            is_there = (self._folder / slot.file_name).exists()
            return self._recover_ours(run, slot) if is_ours and is_there else []

    def _recover_ours(self, run: CrashedRun, slot: Slot) -> list[Change]:
        document = self._document
        if any(document.grove.has_response(run.tree_id, one.id) for one in run.evidence):
            self._forget(slot)  # the crash came between the saving and the forgetting
            return []
        tree = self._tree(run.tree_id)
        if not has_sources(tree, run):
            return []
        change = as_change(tree, run, now=now(), new_id=new_id)
        if change is not None:
            if run.agent is not None and document.grove.agent(run.agent.id) is None:
                document.grove.put_agent(run.agent)
                document.agents.forget()
            document.commit_to(tree, change)
        elif run.back is not None and not self._is_written_at(run.tree_id, ends_of(tree, run)):
            read_again(document, tree, run.back, ends_of(tree, run))
        self._forget(slot)
        return [] if change is None else [change]

    def _tree(self, tree_id: str) -> Tree:
        document = self._document
        is_here = tree_id == document.tree.loom.id
        return document.tree if is_here else document.grove.load_tree(tree_id)

    def _behind_left(self, tree: Tree, rows: Iterable[DraftRow], taken: str) -> Iterator[BehindText]:
        """What was written behind answers and is no node yet; `taken` is what the words are to be that stand
        in the composer: the crash came while they were handed on.
        """
        for behind in [one for one in map(behind_text, rows) if one is not None]:
            if behind.becomes and (behind.becomes in tree.nodes or behind.becomes == taken):
                self.behind_ended(behind.tree_id, behind.answer_id)
            else:
                yield behind

    def _is_written_at(self, tree_id: str, ends: Container[str]) -> bool:
        """Words of the last session go on at one of these nodes; they stay there."""
        words = self._composer.get(tree_id)
        return words is not None and words.base_id in ends

    def _note(self, slot: Slot, make: Make) -> None:
        """Have the newest of a draft written soon: a pause after the last key, a ceiling after the first."""
        if self._writer is None:
            return
        self._wishes[slot] = make
        if not self._due:
            self._due_since = time.monotonic()
        self._due.add(slot)
        left_ms = round(CEILING_MS - (time.monotonic() - self._due_since) * 1000)
        if left_ms > 0:
            self._soon.start(min(PAUSE_MS, left_ms))
        else:  # a busy window would start its timer anew, each time before it fires
            self.write_now()

    def _write(self, slot: Slot) -> None:
        """Have what was just noted written at once."""
        if slot in self._due:
            self._ask(slot)

    def _forget(self, slot: Slot) -> None:
        """At once: it is in the file, and must not be offered again."""
        self._due.discard(slot)
        self._rows.pop(slot, None)
        self._coming.pop(slot, None)
        if self._writer is not None:
            self._wishes[slot] = None
            self._ask(slot)

    def _ask(self, slot: Slot) -> None:
        self._due.discard(slot)
        if self._writer is None:
            return
        make = self._asked[slot] = self._wishes[slot]
        if make is None:
            self._writer.forget(slot)
        else:
            self._writer.put(slot, make)
        if not self._look.isActive():
            self._look.start()
