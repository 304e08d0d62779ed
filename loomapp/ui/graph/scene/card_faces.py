"""Faces: what a card says and shows of its node or draft, and the title on the tab of a branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from loomapp.core.context.outcomes import ShortenedNode
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import read_branch, title_of
from loomapp.core.errors import LoomError
from loomapp.core.generation.drafts import LiveDraft, RunProgress, Wait, written_tokens
from loomapp.core.generation.provider import ProviderError, wants_key
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.content import (
    AttachedDocument,
    Audio,
    Content,
    Image,
    Mixed,
    ToolUse,
    blocks_of,
    images_of,
)
from loomapp.core.model.entities import BranchSummary, LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.siblings import followed_too
from loomapp.core.prose.authorship import Author, author_of, main_author
from loomapp.ui import figures
from loomapp.ui.graph.scene.card_text import MOST_LINES, squeezed
from loomapp.ui.graph.scene.cards import Badge, Face, Kind, Outline, Sight
from loomapp.ui.graph.scene.draft_cards import DISMISS, DISMISS_ALL, Act
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.words.amounts import awaited_words, share_read, shortened_words
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON, proposal_icon, proposal_words

TAB_PX = 18


class BranchTab(NamedTuple):
    """Title of a branch, and whether it has no summary yet."""

    title: str
    is_missing: bool


def tabs_of(tree: Tree) -> dict[str, BranchTab]:
    """The tab of each head by its node; in a Buffer by all its versions too. None at all in a tree of which
    no branch was named or summarised.
    """
    return dict(_tabs(tree))


def followed(tabs: Mapping[str, BranchTab], tree: Tree, change: Change) -> Mapping[str, BranchTab]:
    """The tabs after a change that moved the tree."""
    is_buffer = tree.loom.mode == "buffer"
    touched = (BranchSummary, LoomTree)
    moved = any(True for kind in touched for _ in change.changed(kind))
    if moved or (tree.branch_summaries and (change.removed_nodes() or (is_buffer and change.added_nodes()))):
        return tabs_of(tree)
    return tabs


def _tabs(tree: Tree) -> Iterator[tuple[str, BranchTab]]:
    rows = tree.branch_summaries
    if not rows:
        return
    if tree.root_id not in rows:
        yield tree.root_id, BranchTab(tree.loom.title, is_missing=True)
    for row in rows.values():
        node = tree.nodes.get(row.node_id)
        if node is None:
            continue
        branch = read_branch(row)
        title = tree.loom.title if node.id == tree.root_id else title_of(branch, node.text)
        tab = BranchTab(title, not branch.summary)
        yield node.id, tab
        if tree.loom.mode == "buffer":
            for version in followed_too(tree, node.id):
                if version not in rows:
                    yield version, tab


UNKNOWN_MODEL = "agent.a8"


@dataclass(frozen=True, slots=True)
class Standing:
    on_path: bool = False
    current: bool = False
    fate: str = ""
    merged: bool = False  # sent as one message with the one before
    in_part: bool = False  # there is room for its end only
    by_name: bool = False  # of an image only the name is sent
    shortened: ShortenedNode | None = None  # long parts are sent shortened
    cut: bool = False  # an answer that ended at its limit
    versions: int = 1
    note: bool = False  # drawn as a note under another card
    notes: int = 0
    tagged: bool = False
    unread: bool = False


def words(content: Content, text: str) -> str:
    """Return the words to be read of a content that may have no text of its own; a document's name first."""
    match content:
        case Mixed(blocks=(AttachedDocument(name=name),)):
            return f"{name} · {text}" if text else name
    if text:
        return text
    match content:
        case Image():
            return tr("Image")
        case Audio():
            return tr("Audio")
        case Mixed(blocks=blocks):
            for block in blocks:
                if isinstance(block, ToolUse):
                    return block.name
            return words(blocks[0], "") if blocks and isinstance(blocks[0], Image | Audio) else ""
    return ""


def author_name(node: Node, agents: Mapping[str, Agent]) -> str:
    return short_author(author_of(node), agents)


def short_author(author: Author, agents: Mapping[str, Agent]) -> str:
    """The short name on the card: always there, so that colour is never the only sign."""
    agent = agents.get(author.agent_id or "")
    if agent is not None and agent.name.strip():
        return squeezed(agent.name, 60)
    return tr("You") if author.author_type == "human" else tr("Model")


def author_tint(author_type: str, agent_id: str | None, agents: Mapping[str, Agent]) -> str:
    if author_type == "human":
        return theme.agent_role(None)
    agent = agents.get(agent_id or "")
    return UNKNOWN_MODEL if agent is None else theme.agent_role(agent)


def node_face(
    tree: Tree,
    node: Node,
    agents: Mapping[str, Agent],
    standing: Standing,
    lines: int,
    sight: Sight | None = None,
) -> Face:
    if tree.is_empty_root(node.id):
        outline = _outline(standing)
        return Face("start", tr("Start"), "text.muted", tr("Start"), 1, outline)
    kind: Kind = "note" if standing.note else "message"
    meta = node.metadata
    quiet = meta.pruned or meta.excluded or standing.fate in {"excluded", "truncated", "pruned", "refused"}
    outline = "pruned" if meta.pruned else _outline(standing)
    author = main_author(tree, node)
    return Face(
        kind,
        tr("Note") if kind == "note" else short_author(author, agents),
        author_tint(author.author_type, author.agent_id, agents),
        squeezed(words(node.content, node.text)) or (tr("(blank)") if node.text else tr("(empty)")),
        lines,
        outline,
        quiet=quiet and outline != "current",
        struck=meta.excluded,
        badges=_badges(node, standing),
        sheets=min(2, standing.versions - 1),
        unread=standing.unread,
        sight=sight if kind == "message" else None,
        chip="" if standing.shortened is None else shortened_words(standing.shortened),
        brief=squeezed(node.summary or ""),
    )


def draft_face(live: LiveDraft, agent: Agent | None, *, on_path: bool, failed: int = 0) -> Face:
    """Return the face of a text that is still being written, or that failed, as `failed` in the tree did."""
    draft = live.draft
    name = squeezed(agent.name, 60) if agent is not None else tr("Model")
    if live.proposal:
        return _proposal_face(live, name, agent)
    tint = author_tint("model", live.agent_id, {} if agent is None else {agent.id: agent})
    if draft.error is not None:
        status = draft.error.details.get("status")
        reason = squeezed(f"{status} · {draft.error}" if status else str(draft.error))
        acts = _failed_acts(draft.error, failed)
        return Face("failed", name, tint, reason, MOST_LINES, "error", sign="circle-alert", acts=acts)
    outline: Outline = "path" if on_path else "plain"
    if live.run is not None and not draft.text and draft.waits is None:
        return _run_face(live.run, Face("draft", name, tint, "", MOST_LINES, outline))
    text = draft.text[-4 * MOST_LINES * 60 :] if len(draft.text) > 800 else draft.text.lstrip()
    if draft.waits is not None:
        return _waiting_face(draft.waits, Face("waiting", name, tint, text, MOST_LINES, outline))
    if draft.awaited is not None:
        share = share_read(draft.awaited) if draft.awaited.total_tokens else None
        return Face("draft", name, tint, awaited_words(draft.awaited), MOST_LINES, outline, bar=share)
    tokens = written_tokens(draft)
    count = tr("{} tok").format(figures.number(tokens)) if tokens else ""
    return Face("draft", name, tint, text, MOST_LINES, outline, count=count, caret=not draft.ended)


def _proposal_face(live: LiveDraft, name: str, agent: Agent | None) -> Face:
    """Return the face of a command that waits for a person to decide."""
    tint = author_tint("model", live.agent_id, {} if agent is None else {agent.id: agent})
    asks = proposal_words(live.proposal)
    acts = (Act("accept", tr("Accept")), Act("refuse", tr("Refuse")))
    text = squeezed(live.draft.text)
    sign = proposal_icon(live.proposal)
    named = f"{name}: {asks}"
    return Face("proposal", named, tint, text, MOST_LINES, "proposal", sign=sign, acts=acts, asks=asks)


def _run_face(run: RunProgress, face: Face) -> Face:
    """Return the face of an agent that acts in the tree: what it did last, and how far it is."""
    act = {"reads": tr("Reading."), "writes": tr("Writing."), "asks": tr("Asking another model.")}[run.act]
    step = tr("Step {0} of {1}").format(run.step, run.most_steps)
    text = f"{act if run.lines or run.now else tr('Waiting for its answer.')} {step}"
    return replace(face, text=text, count=f"{run.step}/{run.most_steps}", bar=run.step / run.most_steps)


def _waiting_face(wait: Wait, face: Face) -> Face:
    stop = Act("stop", tr("Stop"))
    if wait.again_in_s is not None:
        count = tr("in {}\u00a0s").format(wait.again_in_s)
        acts = (Act("retry", tr("Retry now")), stop)
        return replace(face, text=squeezed(wait.why), count=count, sign="refresh-cw", acts=acts)
    acts = (stop, Act("retry", tr("Retry")))
    count = tr("silent {}\u00a0s").format(wait.silent_s)
    if face.text:
        return replace(face, count=count, acts=acts)
    return replace(face, text=tr("Nothing came yet."), count=count, sign="circle-pause", acts=acts)


def _failed_acts(error: LoomError, failed: int) -> tuple[Act, ...]:
    retry = Act("retry", tr("Retry"))
    steps = (Act("key", tr("Set the key")), retry) if wants_key(error) else (retry,)
    every = (Act(DISMISS_ALL, tr("Dismiss all")),) if failed > 1 else ()
    details = (Act("details", tr("Details")),) if isinstance(error, ProviderError) else ()
    return (*steps, *every, *details, Act(DISMISS))


def _outline(standing: Standing) -> Outline:
    if standing.current:
        return "current"
    if standing.fate == "truncated":
        return "no room"
    if standing.on_path and standing.fate not in {"excluded", "summarised"}:
        return "path"
    return "plain"


def _badges(node: Node, standing: Standing) -> tuple[Badge, ...]:
    meta = node.metadata
    result = []
    if attached := len(images_of(node.content)):
        icon = "image-off" if standing.by_name else "image"
        result.append(Badge(icon, text=str(attached) if attached > 1 else ""))
    elif any(isinstance(block, AttachedDocument) for block in blocks_of(node.content)):
        result.append(Badge("paperclip"))
    if standing.notes > 1 or (standing.notes and standing.note):
        result.append(Badge("sticky-note", text=str(standing.notes)))
    if standing.versions > 1:
        result.append(Badge("history", text=str(standing.versions)))
    elif node.edited_from is not None:
        result.append(Badge("history"))
    if node.summary:
        result.append(Badge("file-text"))
    if standing.tagged:
        result.append(Badge("hash"))
    if meta.bookmarked:
        result.append(Badge("bookmark", "accent.base", filled=True))
    if node.interrupted is not None:
        result.append(Badge("circle-pause", "state.interrupted"))
    elif standing.cut:
        result.append(Badge("arrow-right-to-line", "state.warning", text=tr("cut")))
    return (*result, *_sending_badges(node, standing))


def _sending_badges(node: Node, standing: Standing) -> list[Badge]:
    """Return the badges of a node's fate when it is sent, if that is anything special."""
    signs = (
        ("check", standing.fate == "sent" and not standing.on_path),  # a source, or a note that goes along
        ("minus", standing.fate == "empty"),
        ("info", standing.fate == "instruction_without_system"),
        ("scissors", standing.fate == "truncated" or standing.in_part),
        (REFUSED_ICON, standing.fate == "refused"),
        ("merge", standing.merged),
        ("eye-off", node.metadata.excluded),
        ("leaf", node.metadata.pruned),
    )
    roles = {"check": "accent.base"}
    return [Badge(icon, roles.get(icon, "text.muted")) for icon, applies in signs if applies]
