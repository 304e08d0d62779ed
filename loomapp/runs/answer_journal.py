"""The journal of answers that stream with no window: kept beside the grove until they are in it.

The words lie there as the window's own drafts do, in the same form. The next command that writes to the
grove, or the window, makes nodes of what a process left that broke off.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from types import TracebackType
from typing import Self

from loomapp.core.edits.tree_edits import with_title
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import CrashedRun, as_change, has_sources, with_living_sources
from loomapp.core.generation.drafts import Draft, grow
from loomapp.core.generation.provider import StreamEvent, joined
from loomapp.core.model.raw_response import Evidence
from loomapp.formats.run_drafts import run_from_json, run_to_json
from loomapp.providers.run.fan_out import FanOut
from loomapp.store.files import draft_claims, drafts
from loomapp.store.files.draft_claims import Claim
from loomapp.store.files.drafts import DraftRow, Slot, drafts_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.steps import changes_naming

PAUSE_S = 0.25  # after the first word that is not kept yet; what is left of the second is the disk's


class AnswerJournal:
    """Keeps the answers of one run while they stream. Without `forget` they stay when the block ends.

    `tell` is given sentences for people, on the thread that works for it too.
    """

    def __init__(
        self, grove: Path, about: CrashedRun, record: Mapping[str, object] | None, tell: Callable[[str], None]
    ) -> None:
        self._folder = drafts_folder(grove)
        self._run = about
        self._record = record
        self._tell = tell
        self._live: FanOut | None = None
        self._claim: Claim | None = None
        self._events: queue.SimpleQueue[StreamEvent | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._kept: CrashedRun | None = None  # as far as it is on disk
        self._is_over = False  # the answer is in the grove, or was nothing
        self._is_told = False
        self._thread = threading.Thread(target=self._work, name="answer journal", daemon=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        if self._run.text and not self._is_over and not (self._kept and self._kept.text):
            self._tell(
                f"none of the {_length(self._run):,} characters that came could be kept beside the grove"
            )
        if self._kept and not self._kept.text:
            self.forget()
        elif self._kept:
            self._tell(
                f"{_how_much(self._kept, self._run)} is kept beside the grove; the next command that "
                "writes to it, or the window, adds it to the tree"
            )
        self._release()

    def begin(self, live: FanOut) -> None:
        """Keep what comes of a run from now on."""
        self._live, self._run = live, replace(self._run, run_id=live.id)
        try:
            self._claim = draft_claims.claim(self._folder, self._slot)
        except GroveError as fault:
            self._complain(fault)
        self._write()  # a window sees by it what is continued, and makes that node no other
        self._thread.start()

    def note(self, event: StreamEvent) -> None:
        """Have an event kept soon; never blocks."""
        self._events.put(event)

    def settle(self, drafts: Sequence[Draft], evidence: Iterable[Evidence]) -> None:
        """Note what is to become of the answer, should it not be saved: all of it has come."""
        self._end()
        self._run = replace(self._run, drafts=tuple(drafts), evidence=self._recorded(evidence))
        if self._run.text and self._run != self._kept:
            self._write()

    def forget(self) -> None:
        """Drop the journal: the answer is in the grove, or was nothing."""
        self._end()
        try:
            drafts.forget(self._folder, self._slot)
        except GroveError as fault:
            self._complain(fault)
        self._kept, self._is_over = None, True
        self._release()

    @property
    def _slot(self) -> Slot:
        return Slot(self._run.tree_id, "run", self._run.run_id)

    def _work(self) -> None:
        while (event := self._events.get()) is not None:
            self._closing.wait(PAUSE_S)
            came = [event]
            while not self._events.empty():
                event = self._events.get()
                if event is None:
                    break
                came.append(event)
            self._grow(came)
            if event is None:
                break

    def _grow(self, came: Sequence[StreamEvent]) -> None:
        before = self._run.drafts
        grown = tuple(reduce(grow, joined(came), draft) for draft in before)
        if grown == before:
            return
        evidence = () if self._live is None else self._recorded(self._live.evidence())
        self._run = replace(self._run, drafts=grown, evidence=evidence)
        self._write()

    def _write(self) -> None:
        try:
            drafts.keep(self._folder, DraftRow(self._slot, now(), run_to_json(self._run)))
            self._kept = self._run
        except GroveError as fault:
            self._complain(fault)

    def _recorded(self, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Exchanges with what their request was assembled from, as the grove keeps them."""
        return tuple(one.with_record(self._record) for one in evidence)

    def _end(self) -> None:
        """End the writing: what has come is written, and nothing more comes."""
        self._closing.set()
        self._events.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def _release(self) -> None:
        if self._claim is not None:
            self._claim.release()

    def _complain(self, fault: GroveError) -> None:
        """Complain once: the answer itself is worth more than a line at each try."""
        if not self._is_told:
            self._is_told = True
            self._tell(fault.message)


def _how_much(kept: CrashedRun, came: CrashedRun) -> str:
    """Return how much of the text is on disk, for people."""
    count, total = _length(kept), _length(came)
    if count == total:
        return "the text so far"
    return f"of the {total:,} characters that came, {count:,} could be kept; that part"


def _length(run: CrashedRun) -> int:
    return sum(len(draft.text) for draft in run.drafts)


def tell_of_left_answers(path: Path, tell: Callable[[str], None]) -> None:
    """Say that there are answers which are in no tree yet, for a command that only looks."""
    runs = (run for row in _rows(path, tell) if (run := _run(row)) is not None)
    count = sum(1 for run in runs for draft in run.drafts if draft.text)
    if count:
        tell(
            f"{'an answer' if count == 1 else f'{count} answers'} of a command that broke off "
            f"{'is' if count == 1 else 'are'} not in {path} yet; the next command that writes to it, "
            "or the window, adds what was kept"
        )


def keep_left_answers(grove: Grove, by: str, tell: Callable[[str], None]) -> None:
    """Make nodes of what was left, flagged as cut short by a crash, and say so; what can't be saved stays.
    `by` names in the history who does it.
    """
    folder = drafts_folder(grove.path)
    for row in _rows(grove.path, tell):
        try:
            with draft_claims.claimed(folder, row.slot) as is_ours:
                if is_ours and (folder / row.slot.file_name).exists() and _keep(grove, row, by, tell):
                    drafts.forget(folder, row.slot)
        except LoomError as error:
            tell(f"an answer that was left could not be added, and is kept: {error.message}")
    draft_claims.sweep(folder)


def _keep(grove: Grove, row: DraftRow, by: str, tell: Callable[[str], None]) -> bool:
    """False if it has to stay where it is."""
    run = _run(row)
    if run is None:
        return False
    if all(row.id != run.tree_id for row in grove.trees()):
        return not run.text
    if any(grove.has_response(run.tree_id, one.id) for one in run.evidence):
        return True  # the kill came between the saving and the forgetting
    tree = grove.load_tree(run.tree_id)
    run = with_living_sources(tree, run, partial(changes_naming, grove, run.tree_id))
    if not has_sources(tree, run):
        if run.text:
            tell("an answer that was left hangs on a node that is gone; it is kept beside the grove")
        return not run.text
    change = as_change(tree, run, now=now(), new_id=new_id)
    if change is None:
        return True
    if run.agent is not None and grove.agent(run.agent.id) is None:
        grove.put_agent(run.agent)
    grove.commit(tree, with_title(tree, replace(change, by=by)))
    for node in change.added_nodes():
        tell(f"a command that broke off had written this: added {node.local_id} {node.id}")
    return True


def _run(row: DraftRow) -> CrashedRun | None:
    is_run = row.slot.kind == "run"
    return run_from_json(row.slot.tree_id, row.slot.key, row.body) if is_run else None


def _rows(path: Path, tell: Callable[[str], None]) -> list[DraftRow]:
    try:
        return draft_claims.left_behind(drafts_folder(path))
    except LoomError as error:
        tell(error.message)
        return []
