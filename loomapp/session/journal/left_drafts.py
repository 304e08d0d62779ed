"""Drafts that the last session left: answers to save, ghosts to offer, and nodes asked about elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import node_edits
from loomapp.core.edits.agent_memory import remember_actions
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import CrashedRun, as_change, ends_of, has_sources, with_living_sources
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath, verbatim
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose import passage_edits, path_choice
from loomapp.core.summarisers.changes import Candidates
from loomapp.core.times import Milliseconds
from loomapp.formats.run_drafts import path_from_json, path_to_json
from loomapp.runs.events import Proposal, proposal_from_json
from loomapp.session.context.pending_sources import pending_roles
from loomapp.session.document import Document
from loomapp.session.recovery import (
    ASIDE,
    BegunText,
    BehindText,
    ComposerDraft,
    Recovered,
    SettingsDraft,
    becomes_of,
    begun_slot,
    begun_text,
    behind_answer,
    behind_slot,
    behind_text,
    candidates_of,
    candidates_slot,
    composer_draft,
    contested_row,
    crashed_run,
    is_committed,
    is_saved_already,
    settings_draft,
)
from loomapp.session.restored import read_again
from loomapp.store.files import drafts
from loomapp.store.files.draft_claims import claimed, is_claimed, left_behind, under_way
from loomapp.store.files.drafts import DraftRow, Slot, drafts_folder
from loomapp.store.identity import new_id, now
from loomapp.store.queries.steps import changes_naming

CUT_SHORT = "(your last run was cut short: the program ended)"  # among the recent actions of an agent


class LeftDrafts:
    """The drafts in a folder as they are found there, without those that another process has claimed.

    `composers` are the words in the composer of each tree, `forget` takes a draft away for good, `keep`
    writes one; all are the journal's. `unreadable` says why nothing can be offered again.
    """

    def __init__(
        self,
        document: Document,
        folder: Path,
        composers: Mapping[str, ComposerDraft],
        forget: Callable[[Slot], None],
        keep: Callable[[DraftRow], None],
    ) -> None:
        self._document, self._folder = document, folder
        self._composers, self._forget, self._keep = composers, forget, keep
        self.unreadable: GroveError | None = None
        # What is only read here may be in use by another window.
        self._rows = {} if document.grove.read_only else {row.slot: row for row in self._read()}

    @property
    def composers(self) -> dict[str, ComposerDraft]:
        rows = self._rows.values()
        return {row.slot.tree_id: composer_draft(row) for row in rows if row.slot.kind == "composer"}

    @property
    def coming_ids(self) -> dict[Slot, str]:
        return {slot: becomes for slot, row in self._rows.items() if (becomes := becomes_of(row))}

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """Proposals of agents that nobody decided about, the oldest first."""
        rows = sorted(
            (row for row in self._rows.values() if row.slot.kind == "proposal"), key=lambda row: row.at
        )
        found = (proposal_from_json(row.slot.tree_id, row.slot.key, row.body) for row in rows)
        return tuple(one for one in found if one is not None)

    def drop(self, slot: Slot) -> None:
        """Offer a draft no more: a newer one is kept, or it is not wanted."""
        self._rows.pop(slot, None)

    # Saving answers

    def save_answers(self, failed: Callable[[LoomError], None]) -> list[Change]:
        """Save the answers that the last session did not, each as one Change; gives what was saved. Text that
        was cut for an answer is read again where no word of it came, or was taken of those that were offered.

        What cannot be saved stays in the journal; `failed` is told why.
        """
        changes: list[Change] = []
        trees = {row.id for row in self._document.grove.known_trees()}
        # What is of another grove, which had this name, waits until that is opened.
        ours = [row for row in self._rows.values() if row.slot.tree_id in trees]
        rows = [row for row in ours if row.slot.kind == "run"]
        runs = [run for row in rows if (run := crashed_run(row)) is not None]
        # The path goes on with the first that has text, of those asked together; ids rise as they were asked.
        for run in sorted(runs, key=lambda run: (not run.text, run.run_id)):
            try:
                changes += self._save(run)
            except LoomError as error:
                failed(error)
        for offered in [one for row in ours if (one := offering(row)) is not None]:
            try:
                settle_left(self._document, self._tree(offered.tree_id), offered)
                self._forget(Slot(offered.tree_id, "ghost"))
            except LoomError as error:
                failed(error)
        return changes

    def save_answers_left_since(self, failed: Callable[[LoomError], None]) -> list[Change]:
        """Save likewise what command lines left that broke off since the drafts were read."""
        try:
            self._rows |= {row.slot: row for row in left_behind(self._folder)}
        except GroveError as error:
            failed(error)
        return self.save_answers(failed)

    def _save(self, run: CrashedRun) -> list[Change]:
        slot = Slot(run.tree_id, "run", run.run_id)
        if not (self._folder / slot.claim_name).exists():  # no command line's: it is this window's alone
            return self._save_ours(run, slot)
        with claimed(self._folder, slot) as is_ours:
            # A command line may be at it just now, or have been quicker.
            is_there = (self._folder / slot.file_name).exists()
            return self._save_ours(run, slot) if is_ours and is_there else []

    def _save_ours(self, run: CrashedRun, slot: Slot) -> list[Change]:
        document = self._document
        if any(document.grove.has_response(run.tree_id, one.id) for one in run.evidence):
            self._forget(slot)  # the crash came between the saving and the forgetting
            return []
        tree = self._tree(run.tree_id)
        run = self._living(tree, run)
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
        elif run.trace:
            change = self._cut_short(tree, run)
        self._forget(slot)
        return [] if change is None else [change]

    def _cut_short(self, tree: Tree, run: CrashedRun) -> Change | None:
        """Note in the memory of an agent that its run ended between two steps; what it did stays."""
        pen = self._document.pen()
        change = remember_actions(tree, run.agent_id, [CUT_SHORT], pen)
        if change is not None:
            change = replace(change, undoable=False)
            self._document.commit_to(tree, change)
        return change

    def _living(self, tree: Tree, run: CrashedRun) -> CrashedRun:
        changes_of = partial(changes_naming, self._document.grove, run.tree_id)
        return with_living_sources(tree, run, changes_of)

    # Words to offer again

    def recovered(self, tree_id: str) -> Recovered:
        """Return the words that the last session left unsaved in a tree, for their places in the window.

        Raises: GroveError if the tree cannot be read.
        """
        tree = self._tree(tree_id)
        composer = self._composer(tree)
        settings = self._settings(tree)
        rows = [row for row in self._rows.values() if row.slot.tree_id == tree_id]
        begun = tuple(self._begun(tree, rows))
        behind = tuple(self._behind(tree, rows, "" if composer is None else composer.becomes))
        stray = tuple(self._stray(tree))
        attached = self._rows.pop(Slot(tree_id, "sources"), None)  # from here on the window has it
        roles = {} if attached is None else pending_roles(attached)
        candidates = tuple(self._candidates(tree, rows))
        return Recovered(composer, settings, begun, stray, roles, behind, candidates)

    def stray(self, tree_id: str) -> tuple[CrashedRun, ...]:
        """Return the answers to nodes of which nothing is known in a tree. Raises: GroveError likewise."""
        return tuple(self._stray(self._tree(tree_id)))

    def _stray(self, tree: Tree) -> Iterator[CrashedRun]:
        rows = [row for row in self._rows.values() if row.slot.tree_id == tree.loom.id]
        for run in [run for row in rows if row.slot.kind == "run" and (run := crashed_run(row)) is not None]:
            if not has_sources(tree, self._living(tree, run)):
                yield run

    def _composer(self, tree: Tree) -> ComposerDraft | None:
        tree_id = tree.loom.id
        draft = self._composers.get(tree_id)
        if draft is not None and is_committed(tree, draft):
            self._forget(Slot(tree_id, "composer"))
            return None
        return None if draft is None else behind_answer(tree, draft)

    def _settings(self, tree: Tree) -> SettingsDraft | None:
        """Settings as they were typed last; those that another hand changed since are kept aside, for what is
        typed next takes the place of a draft.
        """
        rows: list[DraftRow] = []
        fields: dict[str, object] = {}
        contested: frozenset[str] = frozenset()
        for slot in (Slot(tree.loom.id, "settings", ASIDE), Slot(tree.loom.id, "settings")):
            row = self._rows.get(slot)
            draft = None if row is None else settings_draft(row, tree.loom)
            if row is not None and draft is None:
                self._forget(slot)
            elif row is not None and draft is not None:
                rows.append(row)
                fields.update(draft.fields)
                contested = contested.difference(draft.fields) | draft.contested
        found = SettingsDraft(fields, contested)
        if contested:
            aside = contested_row(rows, found)
            self._rows[aside.slot] = aside
            self._keep(aside)
            if contested.issuperset(fields):  # else what is typed next takes its place
                self._forget(Slot(tree.loom.id, "settings"))
        return found if fields else None

    def _begun(self, tree: Tree, rows: Iterable[DraftRow]) -> Iterator[BegunText]:
        """Return edits and notes that were begun and are in no node yet."""
        for text in [one for one in map(begun_text, rows) if one is not None]:
            if is_saved_already(tree, text):
                self._forget(begun_slot(text))
            else:
                yield text

    def _behind(self, tree: Tree, rows: Iterable[DraftRow], taken: str) -> Iterator[BehindText]:
        """Words that were written behind answers and are no node yet. `taken` is the id that the words in the
        composer are to have: the crash may have come while they were handed on.
        """
        for behind in [one for one in map(behind_text, rows) if one is not None]:
            if behind.becomes and (behind.becomes in tree.nodes or behind.becomes == taken):
                self._forget(behind_slot(behind.tree_id, behind.answer_id))
            else:
                yield behind

    def _candidates(self, tree: Tree, rows: Iterable[DraftRow]) -> Iterator[Candidates]:
        """Candidates of summaries of which none is taken yet: the crash may have come right after that."""
        for held in [one for row in rows if (one := candidates_of(row)) is not None]:
            saved = tree.context_summaries.get(held.key)
            responses = {one.response.id for one in held.items if one.response is not None}
            if saved is not None and saved.response_id in responses:
                self._forget(candidates_slot(held))
            else:
                yield held

    def _is_written_at(self, tree_id: str, ends: Container[str]) -> bool:
        """True if words of the last session go on at one of these nodes; they stay there."""
        words = self._composers.get(tree_id)
        return words is not None and words.base_id in ends

    def _tree(self, tree_id: str) -> Tree:
        document = self._document
        is_here = tree_id == document.tree.loom.id
        return document.tree if is_here else document.grove.load_tree(tree_id)

    def _read(self) -> list[DraftRow]:
        try:
            rows = drafts.read(self._folder)
            return [row for row in rows if not is_claimed(self._folder, row.slot)]
        except GroveError as error:
            self.unreadable = error
            return []


def asked_elsewhere(grove: Path, tree_id: str) -> frozenset[str]:
    """Return the nodes of a tree that command lines continue at this moment, and what goes along."""
    rows = [row for row in under_way(drafts_folder(grove)) if row.slot.kind == "run"]
    runs = [run for row in rows if row.slot.tree_id == tree_id and (run := crashed_run(row)) is not None]
    return frozenset(source.node_id for run in runs for source in run.sources.as_edge_sources())


@dataclass(frozen=True, slots=True)
class GhostAnswer:
    """An answer offered after the end of a text: the last node of that, the answer's node if it is one, and
    the words that were taken of it. `back` is the path that was read before the text was cut for it.
    """

    tree_id: str
    end_id: str
    node_id: str
    taken: str
    back: ActivePath | None


def offering_row(offered: GhostAnswer, at: Milliseconds) -> DraftRow:
    body = {"end": offered.end_id, "node": offered.node_id, "text": offered.taken}
    return DraftRow(Slot(offered.tree_id, "ghost"), at, {**body, "back": path_to_json(offered.back)})


def offering(row: DraftRow) -> GhostAnswer | None:
    """Read a ghost answer from its draft; None if the draft is of something else."""
    if row.slot.kind != "ghost":
        return None
    end_id, node_id, taken = (str(row.body.get(name, "")) for name in ("end", "node", "text"))
    return GhostAnswer(row.slot.tree_id, end_id, node_id, taken, path_from_json(row.body.get("back")))


def settle_left(document: Document, tree: Tree, offered: GhostAnswer) -> None:
    """Settle what was offered when the last session ended: the text goes on with what was taken, else it is
    what it was before. Nothing, if it ends elsewhere by now. Raises: LoomError.
    """
    if tree.path.leaf_id != offered.end_id:
        return
    beside = tree.living_children(offered.end_id)
    answers = [i for i in beside if verbatim(tree.nodes[i]).startswith(offered.taken)]
    if offered.taken and answers:
        node_id = offered.node_id if offered.node_id in answers else answers[-1]
        take_up_to(document, tree, node_id, len(offered.taken), offered.back)
    elif offered.back is not None:
        read_again(document, tree, offered.back, (offered.end_id,))


def take_up_to(document: Document, tree: Tree, node_id: str, at: int, back: ActivePath | None) -> None:
    """Let the path that is read go on with the first characters of a node, or with all of it if there are no
    more. That is one step, and undo reads `back`, else what is read now. Raises: LoomError.
    """
    way = document.path_ids if tree is document.tree else resolve(tree, tree.path.leaf_id).node_ids
    pen, evidence = document.pen(), evidence_of(document, tree, node_id)
    change = passage_edits.take_up_to(tree, way, node_id, at, pen, evidence, back=back)
    if change is None:
        change = node_edits.choose_path(tree, node_id, pen, path_choice.choices_along(tree, [*way, node_id]))
    if change is not None:
        document.commit_to(tree, change)


def evidence_of(document: Document, tree: Tree, node_id: str) -> Evidence | None:
    """Return the response that a model's node rests on."""
    if tree.nodes[node_id].author_type != "model":
        return None
    return document.grove.evidence(tree.loom.id, node_id)
