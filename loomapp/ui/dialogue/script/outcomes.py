"""Words and icons for what happens to a message: not sent or cut short, or why its draft gets no text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import server_words
from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.generation.provider import ProviderError, wants_key
from loomapp.core.model.agent import Agent
from loomapp.ui import figures
from loomapp.ui.dialogue.script.entries import Entry
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.widgets.error_strip import Tone
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON, name_words, refused_words


class FateChip(NamedTuple):
    """A chip under a message."""

    icon: str
    text: str
    role: str
    ground: str = "surface.raised"
    ink: str = ""  # of its words, where that is not the role of the icon


def fates_of(entry: Entry) -> tuple[FateChip, ...]:
    """Return all chips on what becomes of an entry, and became of it."""
    said = (fate_of(entry), merging(entry), naming(entry), interruption(entry), limit_reached(entry))
    return tuple(dict.fromkeys(chip for chip in said if chip is not None))


def fate_of(entry: Entry) -> FateChip | None:
    """Return why an entry is not sent; None if it is."""
    icon, text = {
        "excluded": ("eye-off", tr("Excluded")),
        "truncated": ("scissors", tr("No room: {0} tokens")),
        "pruned": ("leaf", tr("Deleted")),
        "annotation": ("sticky-note", tr("Note, not sent")),
        "empty": ("info", tr("Empty, not sent")),
        "summarised": ("sticky-note", tr("In the summary")),
        "branch_summarised": ("sticky-note", tr("In a branch summary")),
        "refused": (REFUSED_ICON, refused_words()),
    }.get(entry.fate, ("", ""))
    if not text:
        return None
    role = "text.muted" if entry.fate == "refused" else "text.secondary"  # it is said of every message
    return FateChip(icon, text.format(figures.number(entry.tokens)), role)


def merging(entry: Entry) -> FateChip | None:
    """Return that an entry is no message of its own when it is sent; None if it is."""
    if not entry.merged:
        return None
    words = tr("Sent as one with the message above")
    return FateChip("merge", words, "text.muted")


def naming(entry: Entry) -> FateChip | None:
    """Return that images of an entry go only by their names; None if there are none, or all go as images."""
    if entry.by_name is None:
        return None
    return FateChip("image-off", name_words(entry.by_name, len(entry.images)), "text.secondary")


def interruption(entry: Entry) -> FateChip | None:
    """Return why an entry's text ends where it does; None if it is whole."""
    reason = None
    if entry.node is not None and entry.node.interrupted is not None:
        reason = entry.node.interrupted.reason
    elif entry.draft is not None and entry.draft.error is None:
        reason = entry.draft.interrupted
    if reason is None:
        return None
    text = {
        "timeout": tr("Cut short: no answer in time"),
        "network": tr("Cut short: the connection was lost"),
        "provider error": tr("Cut short: the model failed"),
        "cancelled": tr("Stopped"),
        "crash": tr("Cut short: Loomapp ended"),
    }.get(reason, tr("Cut short: {0}").format(reason))
    return FateChip("circle-pause", text, "state.interrupted")


def limit_reached(entry: Entry) -> FateChip | None:
    """Return at how many tokens a limit cut an entry's text; None if it ended by itself."""
    if entry.cut_at is None:
        return None
    words = tr("cut at {0} tokens").format(figures.number(entry.cut_at))
    words = words if entry.cut_at else tr("cut at its limit")
    return FateChip("arrow-right-to-line", words, "state.warning", "state.warning_soft", "text.primary")


@dataclass(frozen=True, slots=True)
class Halt:
    """Failed or waiting answer in words. `acts` are names and words, the likeliest first."""

    sentence: str
    acts: tuple[tuple[str, str], ...]
    tone: Tone = "warning"
    closable: bool = False


def halt_of(draft: Draft | None, failed: int = 0) -> Halt | None:
    """Return why a draft failed or waits; None while all is well. `failed`: how many did."""
    if draft is None:
        return None
    if draft.error is not None:
        retry = ("retry", tr("Retry"))
        keyed = (("key", tr("Set the key")), retry)
        acts: tuple[tuple[str, str], ...] = keyed if wants_key(draft.error) else (retry,)
        if isinstance(draft.error, ProviderError):
            acts = (*acts, ("details", tr("Details")))
        if failed > 1:
            acts = (*acts, ("dismiss_all", tr("Dismiss all {count}").format(count=figures.number(failed))))
        said = unsteered(server_words(draft.error))
        sentence = "\n".join(filter(None, (told(draft.error.message), said)))
        return Halt(sentence, acts, "error", closable=True)
    wait = draft.waits
    if wait is None:
        return None
    stop = ("stop", tr("Stop"))
    if wait.again_in_s is not None:
        return Halt(told(wait.sentence), (("retry", tr("Retry now")), stop))
    return Halt(told(wait.sentence), (stop, ("retry", tr("Retry"))))


def named_halt(live: LiveDraft, agents: Mapping[str, Agent], failed: int = 0) -> Halt | None:
    """Return why a draft failed or waits, with its agent's name, for where no head of a message names it."""
    halt, agent = halt_of(live.draft, failed), agents.get(live.agent_id)
    if halt is None or agent is None:
        return halt
    return replace(halt, sentence=f"{unsteered(agent.name)} · {halt.sentence}")
