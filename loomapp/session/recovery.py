"""Drafts of the journal as values: composer, edits, notes, documents, settings, interrupted answers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import head_row, read_branch
from loomapp.core.economy.coverage import text_of as summary_text
from loomapp.core.edits.agent_memory import text_of_key
from loomapp.core.edits.documents import text_of
from loomapp.core.errors import InvalidInput
from loomapp.core.generation.answers import CrashedRun
from loomapp.core.json_values import Json
from loomapp.core.model.content import Block, Mixed, composed, content_from_json, content_to_json, taken_apart
from loomapp.core.model.economy_settings import BY_NAME as ECONOMY_FIELDS
from loomapp.core.model.entities import LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths import piece_table
from loomapp.core.paths.piece_table import Pieces
from loomapp.core.summarisers.changes import Candidate, Candidates
from loomapp.core.times import Milliseconds
from loomapp.formats.run_drafts import (
    evidence_from_json,
    evidence_to_json,
    items_of,
    run_from_json,
    run_to_json,
)
from loomapp.session.context.pending_sources import Attached
from loomapp.store.files.drafts import DraftRow, Slot

LOOM_FIELDS = ("description", "system_context", "buffer_mode_system_context")

BegunKind: TypeAlias = Literal["edit", "note", "summary", "document", "memory", "card"]


@dataclass(frozen=True, slots=True)
class ComposerDraft:
    """Words for the composer, and the node that they were to continue."""

    text: str
    base_id: str
    at: Milliseconds = 0
    blocks: tuple[Block, ...] = ()  # what was attached to them
    becomes: str = ""  # the id that their node is to have; "": it was not given out when they were kept
    answer_id: str = ""  # the answer to the base that they are to continue, once it is a node; "" for none


@dataclass(frozen=True, slots=True)
class BegunText:
    """An edit of a node, a note on it, the summary of its branch, a version of the document that it is; a
    text for an agent's memory, or of a card's summary, which have keys in place of a node; as far as written.
    """

    kind: BegunKind
    tree_id: str
    node_id: str
    text: str
    at: Milliseconds = 0
    made_of: Pieces | None = None  # of an edit, as far as it is known
    becomes: str = ""  # the id that its node is to have; "" likewise
    is_closed: bool = False  # its field was put away


@dataclass(frozen=True, slots=True)
class BehindText:
    """Words behind an answer, by the node that this was to be and the one that it continues."""

    tree_id: str
    answer_id: str
    above_id: str
    text: str
    at: Milliseconds = 0
    becomes: str = ""  # the id that their node is to have


@dataclass(frozen=True, slots=True)
class SettingsDraft:
    """Fields of a tree's settings as they were typed; `contested` were changed by another hand since."""

    fields: Mapping[str, object]
    contested: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Recovered:
    """The drafts that are offered again in one tree. `stray` are answers to a node that is gone: to read and
    copy. The nodes of what was `begun` may be gone too, and those that were `attached`.
    """

    composer: ComposerDraft | None = None
    settings: SettingsDraft | None = None
    begun: tuple[BegunText, ...] = ()
    stray: tuple[CrashedRun, ...] = ()
    attached: Mapping[str, Attached] = field(default_factory=dict)
    behind: tuple[BehindText, ...] = ()
    candidates: tuple[Candidates, ...] = ()  # of summaries


def words_of(row: DraftRow) -> str:
    """Return every word of a draft, to be read by a person."""
    fields, drafts = row.body.get("fields", {}), row.body.get("drafts", [])
    texts = [row.body.get("text"), *(fields.values() if isinstance(fields, dict) else [])]
    texts += [draft.get("text") for draft in items_of(drafts) if isinstance(draft, dict)]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)


# The composer


def composer_row(tree_id: str, draft: ComposerDraft) -> DraftRow:
    """The words of a composer as they are kept."""
    body = {"text": draft.text, "base": draft.base_id, "becomes": draft.becomes}
    if draft.answer_id:
        body["answer"] = draft.answer_id
    attached = content_to_json(Mixed(draft.blocks)) if draft.blocks else None
    return DraftRow(Slot(tree_id, "composer"), draft.at, {**body, "attached": attached})


def composer_draft(row: DraftRow) -> ComposerDraft:
    """The words of a composer as they were kept."""
    words, base_id = str(row.body.get("text", "")), str(row.body.get("base", ""))
    answer = row.body.get("answer")
    answer_id = answer if isinstance(answer, str) else ""
    blocks = _attached(row.body.get("attached"))
    return ComposerDraft(words, base_id, row.at, blocks, becomes_of(row), answer_id)


def behind_answer(tree: Tree, draft: ComposerDraft) -> ComposerDraft:
    """The words of a composer with the node that they continue by now: the answer beside which they were
    typed, if that has become a node, else what it was to continue.
    """
    base_id = draft.answer_id if draft.answer_id in tree.nodes else draft.base_id
    return replace(draft, base_id=base_id, answer_id="")


def becomes_of(row: DraftRow) -> str:
    """The id that the node of a draft is to have; "" in rows of older versions."""
    becomes = row.body.get("becomes")
    return becomes if isinstance(becomes, str) else ""


def _attached(value: object) -> tuple[Block, ...]:
    """Read what was attached; nothing if it cannot be read, for the words are worth more."""
    with suppress(InvalidInput):
        content = None if value is None else content_from_json(value, "attached")
        return content.blocks if isinstance(content, Mixed) else ()
    return ()


def is_committed(tree: Tree, draft: ComposerDraft) -> bool:
    """True if the words became a node and the crash came before they could be taken from the journal.

    What is on disk may be a second older than what became the node, so words say little: the id tells. Rows
    of older versions have none.
    """
    if draft.becomes in tree.nodes:
        return True
    if draft.base_id not in tree.nodes:
        return False
    below = (tree.nodes[child_id] for child_id in tree.children(draft.base_id))
    content = composed(draft.text, draft.blocks)
    return any(node.created_at >= draft.at and node.content == content for node in below)


# Words behind an answer


def behind_slot(tree_id: str, answer_id: str) -> Slot:
    return Slot(tree_id, "behind", answer_id)


def behind_row(behind: BehindText) -> DraftRow:
    body: Json = {"text": behind.text, "above": behind.above_id, "becomes": behind.becomes}
    return DraftRow(behind_slot(behind.tree_id, behind.answer_id), behind.at, body)


def behind_text(row: DraftRow) -> BehindText | None:
    """Words behind an answer as they were kept; None if the row is something else."""
    tree_id, kind, answer_id = row.slot
    if kind != "behind":
        return None
    text, above_id = str(row.body.get("text", "")), str(row.body.get("above", ""))
    return BehindText(tree_id, answer_id, above_id, text, row.at, becomes_of(row))


# Edits and notes


def begun_slot(begun: BegunText) -> Slot:
    return Slot(begun.tree_id, begun.kind, begun.node_id)


def begun_row(begun: BegunText) -> DraftRow:
    body: Json = {"text": begun.text, "becomes": begun.becomes}
    if begun.made_of is not None:
        body["pieces"] = piece_table.to_json(begun.made_of)
    if begun.is_closed:
        body["closed"] = True
    return DraftRow(begun_slot(begun), begun.at, body)


def begun_text(row: DraftRow) -> BegunText | None:
    """Read a begun text from its draft; None if the draft is of something else."""
    tree_id, kind, node_id = row.slot
    if kind not in ("edit", "note", "summary", "document", "memory", "card"):
        return None
    text, made_of = str(row.body.get("text", "")), piece_table.from_json(row.body.get("pieces"))
    is_closed = row.body.get("closed") is True
    return BegunText(kind, tree_id, node_id, text, row.at, made_of, becomes_of(row), is_closed)


def has_place(tree: Tree, agent_ids: Iterable[str], begun: BegunText) -> bool:
    """Tell whether a tree still has what a text was begun on, so that one can go on with it there."""
    if begun.kind == "memory":
        return text_of_key(tree, agent_ids, begun.node_id) is not None
    return begun.node_id in (tree.context_summaries if begun.kind == "card" else tree.nodes)


def is_saved_already(tree: Tree, begun: BegunText) -> bool:
    """True if it became a node and the crash came before it could be taken from the journal; so too if an
    edit's node was undone meanwhile, and another says just that.
    """
    if begun.becomes in tree.nodes:
        return True
    if begun.kind == "summary":
        row = head_row(tree, begun.node_id) if begun.node_id in tree.nodes else None
        return row is not None and read_branch(row).text == begun.text
    if begun.kind == "card":
        summary = tree.context_summaries.get(begun.node_id)
        return summary is not None and summary_text(summary) == begun.text.strip()
    if begun.node_id not in tree.nodes:
        return begun.kind == "edit" and any(_says(node, begun.text) for node in tree.nodes.values())
    if begun.kind == "document":
        return text_of(tree.nodes[begun.node_id]) == begun.text
    if begun.kind == "edit":
        made = tree.edits_of(begun.node_id)
    else:
        made = tuple(e.target_id for e in tree.edges_out(begun.node_id) if e.type == "annotation")
    nodes = (tree.nodes[node_id] for node_id in made)
    return any(node.created_at >= begun.at and _says(node, begun.text) for node in nodes)


def _says(node: Node, text: str) -> bool:
    return taken_apart(node.content)[0] == text


# Settings of a tree


def settings_row(loom: LoomTree, fields: Mapping[str, object], at: Milliseconds) -> DraftRow:
    """Settings as they are being typed, with a seal of what each was before."""
    bases = {name: _seal(value_of(loom, name)) for name in fields}
    return DraftRow(Slot(loom.id, "settings"), at, {"fields": dict(fields), "bases": bases})


def settings_draft(row: DraftRow, loom: LoomTree) -> SettingsDraft | None:
    """Settings as they were typed; None if all of it is saved."""
    typed, bases = row.body.get("fields"), row.body.get("bases")
    if not isinstance(typed, dict) or not isinstance(bases, dict):
        return None
    unsaved = {n: v for n, v in typed.items() if hasattr(_holder(loom, n), n) and value_of(loom, n) != v}
    contested = frozenset(name for name in unsaved if bases.get(name) != _seal(value_of(loom, name)))
    return SettingsDraft(unsaved, contested) if unsaved else None


ASIDE = "contested"  # the key of settings that wait for the user's word, whatever is typed meanwhile


def contested_row(rows: Iterable[DraftRow], draft: SettingsDraft) -> DraftRow:
    """The settings of some rows, the newest last, that another hand changed since they were typed."""
    fields: dict[str, object] = {}
    bases: dict[str, object] = {}
    slot, at = Slot("", "settings", ASIDE), 0
    for row in rows:
        slot, at = slot._replace(tree_id=row.slot.tree_id), row.at
        fields.update({name: value for name, value in _items_of(row, "fields") if name in draft.contested})
        bases.update({name: value for name, value in _items_of(row, "bases") if name in draft.contested})
    return DraftRow(slot, at, {"fields": fields, "bases": bases})


def _items_of(row: DraftRow, name: str) -> Iterable[tuple[str, object]]:
    items = row.body.get(name)
    return items.items() if isinstance(items, dict) else ()


def has_same_settings(one: LoomTree, other: LoomTree) -> bool:
    """True if two states of a tree say the same of its settings."""
    same = all(value_of(one, name) == value_of(other, name) for name in LOOM_FIELDS)
    return same and one.context_settings == other.context_settings


def value_of(loom: LoomTree, name: str) -> object:
    return getattr(_holder(loom, name), name)


def _holder(loom: LoomTree, name: str) -> object:
    """The value that has a setting as its field: the tree, its context settings or those of economy."""
    if name in LOOM_FIELDS:
        return loom
    return loom.context_settings.economy if name in ECONOMY_FIELDS else loom.context_settings


def _seal(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]


# Answers


def run_row(run: CrashedRun, at: Milliseconds) -> DraftRow:
    return DraftRow(Slot(run.tree_id, "run", run.run_id), at, run_to_json(run))


def crashed_run(row: DraftRow) -> CrashedRun | None:
    """An answer as it was kept; None if it makes no sense."""
    return run_from_json(row.slot.tree_id, row.slot.key, row.body)


def candidates_slot(candidates: Candidates) -> Slot:
    return Slot(candidates.tree_id, "candidates", candidates.key)


def candidates_row(candidates: Candidates, at: Milliseconds) -> DraftRow:
    drafts = [
        {
            "text": one.text,
            "written": one.written,
            "model": one.model,
            "response": None if one.response is None else evidence_to_json(one.response),
        }
        for one in candidates.items
    ]
    return DraftRow(candidates_slot(candidates), at, {"drafts": drafts, "shown": candidates.shown})


def candidates_of(row: DraftRow) -> Candidates | None:
    """Candidates as they were kept; None if the draft is of something else, or makes no sense."""
    tree_id, kind, key = row.slot
    anchor, _, covered_hash = key.partition("\0")
    entries, shown = row.body.get("drafts"), row.body.get("shown")
    if kind != "candidates" or not isinstance(entries, list) or type(shown) is not int:
        return None
    items = tuple(_candidate(entry) for entry in entries if isinstance(entry, dict))
    return Candidates(tree_id, anchor, covered_hash, items, max(0, min(shown, len(items) - 1)))


def _candidate(entry: dict[str, object]) -> Candidate:
    text, model = str(entry.get("text", "")), entry.get("model")
    kept = entry.get("response")
    response = None if kept is None else evidence_from_json(kept)
    written = str(entry.get("written", text))
    return Candidate(written, model if isinstance(model, str) else None, response, text)
